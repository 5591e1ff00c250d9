import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { shellQuote } from "#plumbing/text/shell-quote";

const SCRIPT = path.join(import.meta.dirname, "slot.sh");

interface Podman {
  /** The lines of the job's variables. */
  readonly variables?: string;
  /** Sent to the process group when the script prints "begin". */
  readonly signal?: NodeJS.Signals;
}

/** Runs a shell script in podman's place, in a slot that takes the job's own process for itself. */
async function runJob(
  podman: string,
  { variables = "", signal }: Podman = {},
): Promise<{ readonly code: number | null; readonly log: string }> {
  const child = spawn("/bin/bash", ["--norc", SCRIPT, os.tmpdir(), "boot"], { detached: true });
  const words = ["as_podman", "", variables, "/bin/bash", "-c", podman];
  const order = `born=-; given() { :; }; exec 2>&1; ${words.map(shellQuote).join(" ")}`;
  child.stdin.end(`${String(Buffer.byteLength(order)).padStart(8, "0")}${order}`);
  let log = "";
  child.stdout.on("data", (chunk: Buffer) => void (log += String(chunk)));
  child.stdout.on("data", () => void (signal && log.includes("begin") && process.kill(-child.pid!, signal)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, log };
}

const endsBy = (signal: string, code: number) =>
  `trap 'exit ${code}' ${signal}; echo begin; for ((;;)); do read -t 0.02 < <(sleep 1); done`;

test.each([
  ["SIGTERM", 0, 143],
  ["SIGINT", 1, 130],
] as const)(
  "a podman that ends by %s with %i, as one does before its container runs, is no command that has ended so",
  async (signal, code, seen) => {
    expect((await runJob(endsBy(signal.slice(3), code), { signal })).code).toBe(seen);
  },
);

test("a command that ends by a signal with an exit code of its own keeps it", async () => {
  expect((await runJob(endsBy("TERM", 7), { signal: "SIGTERM" })).code).toBe(7);
});

test.each([0, 1, 7])("a command that ends with %i by itself keeps it", async (code) => {
  expect((await runJob(`exit ${code}`)).code).toBe(code);
});

test("the log of a job holds nothing of the shell around podman, even if the signal ends podman", async () => {
  const podman = "echo error >&2; echo begin; exec sleep 100";
  expect(await runJob(podman, { signal: "SIGTERM" })).toEqual({
    code: 143,
    log: "error\nbegin\n",
  });
});

test.each([10, 300_000])("podman reads %i bytes of variables from a pipe", async (bytes) => {
  const variables = `A=${"x".repeat(bytes)}\n`;
  const podman = "[ -p /dev/fd/9 ] && cat /dev/fd/9";
  expect((await runJob(podman, { variables })).log).toBe(variables);
});
