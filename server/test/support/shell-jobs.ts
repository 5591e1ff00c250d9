import { spawn } from "node:child_process";
import type { FakeBackend } from "./fake-backend.ts";

/** Makes the backend run its jobs in a shell, in the folder of their run. */
export function runInShell(backend: FakeBackend): void {
  const submit = backend.submit.bind(backend);
  const cancel = backend.cancel.bind(backend);
  const running = new Map<string, () => Promise<void>>();
  backend.submit = async (request) => {
    const state = await submit(request);
    if (running.has(request.id)) return state;
    const { script } = request.job;
    const child = spawn("bash", ["-c", script], { cwd: request.workspaceFolder, stdio: "ignore" });
    const gone = new Promise<void>((resolve) =>
      child.once("exit", (exitCode) => {
        if (exitCode !== null) backend.end(request.id, { exitCode });
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
