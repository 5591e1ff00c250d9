import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { plannerJob } from "#engines/snakemake/planner-job";

const INPUT = {
  specification: { workflow: { type: "snakemake" } },
  parameters: {},
  options: {},
  model: { config: null },
  run: SOME_RUN,
} as const;

/** Arguments for bash as a stand-in for Snakemake that handles signals. */
const HANDLES = "trap 'exit 7' TERM; echo ready; sleep 60 & wait";

test("a planner that is asked to end handles the signal itself, and its job ends with its exit code", async () => {
  const { command } = plannerJob(INPUT, { program: "bash", plugin: {}, maxThreads: 1 }, 1);
  const shell = "argv" in command ? command.argv.slice(0, command.argv.indexOf("--snakefile")) : [];
  const job = spawn(shell[0]!, [...shell.slice(1), "-c", HANDLES], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(job, "exit");
  await once(job.stdout, "data");
  process.kill(-job.pid!, "SIGTERM");
  expect(await ended).toEqual([7, null]);
});
