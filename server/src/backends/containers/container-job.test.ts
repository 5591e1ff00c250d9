import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";

const SCRIPT = path.join(import.meta.dirname, "container-job.sh");

/**
 * Runs a shell script in podman's place. Sends the signal to the script's process group when the script
 * prints a line.
 */
async function runJob(
  podman: string,
  signal?: NodeJS.Signals,
): Promise<{ readonly code: number | null; readonly log: string }> {
  const words = ["--norc", SCRIPT, "0", "/bin/bash", "-c", podman];
  const child = spawn("/bin/bash", words, { detached: true });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void (log += String(chunk)));
  child.stdout.once("data", () => void (signal && process.kill(-child.pid!, signal)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, log };
}

const endsBy = (signal: string, code: number) =>
  `trap 'exit ${code}' ${signal}; echo begin; for ((;;)); do read -t 0.02 < <(sleep 1); done`;

test.each([
  ["SIGTERM", 0, 143],
  ["SIGINT", 1, 130],
] as const)(
  "a podman that ends by %s with %i before the container runs does not count as an ended command",
  async (signal, code, seen) => {
    expect((await runJob(endsBy(signal.slice(3), code), signal)).code).toBe(seen);
  },
);

test("a command that ends by a signal with an own exit code keeps the code", async () => {
  expect((await runJob(endsBy("TERM", 7), "SIGTERM")).code).toBe(7);
});

test.each([0, 1, 7])("a command keeps the exit code %i", async (code) => {
  expect((await runJob(`exit ${code}`)).code).toBe(code);
});

test("the log of a job holds nothing of the shell around podman, even if the signal ends podman", async () => {
  const podman = "echo error >&2; echo begin; exec sleep 100";
  expect(await runJob(podman, "SIGTERM")).toEqual({
    code: 143,
    log: expect.stringMatching(/^(begin\nerror|error\nbegin)\n$/),
  });
});
