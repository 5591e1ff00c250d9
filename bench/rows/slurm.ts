import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Slurm, startSlurm } from "../../server/src/backends/slurm/started-slurm-fixture.ts";
import { mapReduce } from "../support/map-reduce.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf, startRuns, untilRuns } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const JOBS = 200;
const CHAIN = 20;
const ROUNDS = 3;
const FEW = 10;
const MANY = 1000;
/** How long the calls are counted, several listings long. */
const COUNTED_MS = 20_000;

/** Measures jobs `true` on a real Slurm against its own commands, and the calls that waiting jobs cause. */
export async function slurm(): Promise<Row[]> {
  const cluster = await startSlurm();
  const folder = await temporaryFolder();
  try {
    return [
      ...(await againstSbatch(cluster, folder)),
      await againstArray(cluster, folder),
      await calls(cluster, folder),
    ];
  } finally {
    cluster.down();
    await removeFolder(folder);
  }
}

async function againstSbatch(cluster: Slurm, folder: string): Promise<Row[]> {
  const environment = { ...cluster.environment, REPRISE_BACKENDS: "slurm", REPRISE_MAX_RUNS: String(JOBS) };
  const server = await startReprise(path.join(folder, "data"), { environment });
  const runs = runsOf(server);
  let finished = 0;
  const independent = async () => {
    const beganAt = performance.now();
    await startRuns(server, JOBS, ["true"]);
    await runs.reach("finished", (finished += JOBS));
    return performance.now() - beganAt;
  };
  const chained = async () => {
    const run = await runs.create(Array.from({ length: CHAIN }, () => "true"));
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const submit = "sbatch --quiet --output=/dev/null --wrap=true";
  const loop = `for i in $(seq ${JOBS}); do ${submit}; done; while [ "$(squeue --noheader)" ]; do sleep 0.1; done`;
  const waits = `for i in $(seq ${CHAIN}); do ${submit} --wait; done`;
  const fan = await ratioInTurns(independent, async () => shell(cluster, loop), ROUNDS);
  const chain = await ratioInTurns(chained, async () => shell(cluster, waits), ROUNDS);
  await server.stop();
  return [
    atMost(
      `${JOBS} runs of a job \`true\` on Slurm, ms`,
      "a loop of `sbatch`, and `squeue`",
      fan.ratio,
      1.3,
      "×",
      fan.detail,
    ),
    atMost(
      `${CHAIN} jobs \`true\` on Slurm, one after the other, ms`,
      "`sbatch --wait` in a loop",
      chain.ratio,
      1.2,
      "×",
      chain.detail,
    ),
  ];
}

/** Measures a scatter of one run against an array of Slurm, which takes one call of `sbatch`. */
async function againstArray(cluster: Slurm, folder: string): Promise<Row> {
  const environment = { ...cluster.environment, REPRISE_BACKENDS: "slurm" };
  const server = await startReprise(path.join(folder, "scattered"), { environment });
  const runs = runsOf(server);
  const { stages, parameters } = mapReduce(JOBS);
  let finished = 0;
  const scatter = async () => {
    const inputs = { parameters };
    const run = await runs.createFrom({ type: "yadage", specification: { stages } }, { inputs });
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const array = `sbatch --quiet --output=/dev/null --array=1-${JOBS} --wrap=true`;
  const loop = `${array}; while [ "$(squeue --noheader)" ]; do sleep 0.1; done`;
  const { ratio, detail } = await ratioInTurns(scatter, async () => shell(cluster, loop), ROUNDS);
  await server.stop();
  const what = `a run with a scatter of ${JOBS} jobs on Slurm, ms`;
  return atMost(what, "`sbatch --array`, and `squeue`", ratio, 1.5, "×", detail);
}

function shell(cluster: Slurm, script: string): number {
  const beganAt = performance.now();
  execFileSync("sh", ["-c", script], { stdio: "ignore", env: { ...process.env, ...cluster.environment } });
  return performance.now() - beganAt;
}

/** Counts the calls of Slurm's commands while jobs wait on drained nodes. */
async function calls(cluster: Slurm, folder: string): Promise<Row> {
  cluster.run("scontrol", "update", "nodename=n[1-2]", "state=drain", "reason=bench");
  const few = await callsFor(cluster, folder, FEW);
  const many = await callsFor(cluster, folder, MANY);
  const what = `calls of Slurm's commands in ${COUNTED_MS / 1000} s, ${MANY} waiting jobs`;
  return atMost(what, `${FEW} waiting jobs`, many / few, 1.5, "×", `${many} against ${few}`);
}

async function callsFor(cluster: Slurm, folder: string, count: number): Promise<number> {
  const tools = path.join(folder, `tools-${count}`);
  mkdirSync(tools);
  const log = path.join(tools, "calls");
  for (const program of ["sbatch", "squeue", "sinfo", "scontrol", "scancel"]) {
    const file = path.join(tools, program);
    writeFileSync(file, `#!/bin/sh\necho ${program} >> ${log}\nexec /usr/bin/${program} "$@"\n`);
    chmodSync(file, 0o755);
  }
  const server = await startReprise(path.join(folder, `data-${count}`), {
    environment: {
      ...cluster.environment,
      REPRISE_BACKENDS: "slurm",
      REPRISE_MAX_CLUSTER_JOBS: String(2 * MANY),
      REPRISE_MAX_RUNS: String(2 * MANY),
      PATH: `${tools}:${process.env["PATH"]}`,
    },
  });
  await startRuns(server, count, ["true"]);
  await untilRuns(server.dataFolder, "status = 'running'", count);
  while (waiting(cluster) < count) await delay(100);
  writeFileSync(log, "");
  await delay(COUNTED_MS);
  const counted = readFileSync(log, "utf8").split("\n").length - 1;
  await server.kill();
  cluster.run("scancel", "--me");
  return counted;
}

function waiting(cluster: Slurm): number {
  return cluster.run("squeue", "--noheader", "--me", "--format=%i").split("\n").length - 1;
}
