import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import type { JobRequest } from "#backends/backend";
import type { FakeBackend } from "../fakes/fake-backend.ts";

/** Makes the backend run its jobs in a shell, in the folder of their run. The variable IMAGE_DIGEST says in which image. */
export function runInShell(backend: FakeBackend): void {
  const submit = backend.submit.bind(backend);
  const cancel = backend.cancel.bind(backend);
  const running = new Map<string, () => Promise<void>>();
  backend.submit = async (request) => {
    const state = await submit(request);
    if (running.has(request.id)) return state;
    const startedAtMs = Date.now();
    const child = spawnJob(backend, request);
    const gone = new Promise<void>((resolve) =>
      child.once("exit", (exitCode) => {
        if (exitCode !== null) backend.end(request.id, { exitCode, startedAtMs, endedAtMs: Date.now() });
        resolve();
      }),
    );
    running.set(request.id, () => (child.kill("SIGKILL"), gone));
    return state;
  };
  backend.cancel = async (request) => {
    await running.get(request.id)?.();
    return cancel(request);
  };
}

/** Runs the command of a job that the backend has started, and ends the job with its exit code. */
export async function runStarted(backend: FakeBackend, id: string): Promise<void> {
  const child = spawnJob(
    backend,
    backend.submissions.find((one) => one.id === id)!,
  );
  const [exitCode] = (await once(child, "exit")) as [number | null];
  backend.end(id, { exitCode });
}

/** Starts the command in its folder, with redirected standard input and outputs. */
function spawnJob({ images }: FakeBackend, { job, workspaceFolder }: JobRequest) {
  const argv: readonly [string, ...string[]] =
    "argv" in job.command ? job.command.argv : ["bash", "-c", job.command.script];
  const open = (name: string | undefined, flags: "r" | "w") =>
    name === undefined ? ("ignore" as const) : openSync(path.join(workspaceFolder, name), flags);
  const stdout = open(job.stdout, "w");
  const stderr = job.stderr === job.stdout ? stdout : open(job.stderr, "w");
  const stdio = [open(job.stdin, "r"), stdout, stderr];
  const cwd = path.join(workspaceFolder, job.workingFolder ?? "");
  const digest = images.get(job.image ?? "");
  const env = { ...process.env, ...(digest !== undefined && { IMAGE_DIGEST: digest }), ...job.environment };
  const child = spawn(argv[0], argv.slice(1), { cwd, stdio, env });
  for (const fd of new Set(stdio)) if (fd !== "ignore") closeSync(fd);
  return child;
}
