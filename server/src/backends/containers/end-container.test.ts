import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endContainer } from "#backends/containers/end-container";
import { installFake } from "#backends/containers/runtime-fixture";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";

let folder: string;
let name: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-runtime-"));
  name = `reprise-0123456789ab-${systemRandom.uuid()}`;
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** Starts a process with these words. */
function start([argv0, ...words]: readonly [string, ...string[]], uid?: number): ChildProcess {
  const how = { argv0, stdio: "ignore", ...(uid !== undefined && { uid }) } as const;
  const child = spawn("/bin/bash", ["-c", "sleep 1000; :", ...words], how);
  started.push(child);
  return child;
}

/** Ends the container of a podman that has no containers, with a clock that runs fast. */
function end(): Promise<void> {
  installFake(folder, { name: "podman", info: "", also: "rm) exit 0 ;;" });
  return endByPodman();
}

/** Ends the container by the podman in the folder, if installed. */
function endByPodman(): Promise<void> {
  let elapsedMs = 0;
  const clock = { ...systemClock, elapsedMs: () => (elapsedMs += 1500) };
  return endContainer({ name: "podman", program: path.join(folder, "podman") }, name, clock);
}

test("the monitor and the client of a container are killed if they do not end by themselves", async () => {
  const own = [start(["/usr/bin/conmon", "-n", name]), start(["/usr/bin/podman", "run", `--name=${name}`])];
  await end();
  for (const child of own) await expect.poll(() => child.signalCode).toBe("SIGKILL");
});

test("processes that only mention the container keep no job from ending, and go on", async () => {
  const isRoot = process.getuid?.() === 0;
  const others = [
    start(["grep", "-n", name]),
    start(["podman", "logs", "-f", name]),
    start(["/usr/bin/conmonitor", "-n", name]),
    ...(isRoot ? [start(["/usr/bin/conmon", "-n", name], 65_534)] : []),
  ];
  await end();
  for (const { exitCode, signalCode } of others) expect([exitCode, signalCode]).toEqual([null, null]);
});

test("a container is gone if its runtime was uninstalled, once no process of it is left", async () => {
  await endByPodman();
  const monitor = start(["/usr/bin/conmon", "-n", name]);
  await endByPodman();
  await expect.poll(() => monitor.signalCode).toBe("SIGKILL");
});

test("a container is not gone if its runtime cannot be started for another reason", async () => {
  const program = path.join(folder, "podman");
  writeFileSync(program, "");
  await expect(endByPodman()).rejects.toThrow("EACCES");
  // A script whose interpreter is missing fails with the error of a missing program.
  writeFileSync(program, "#!/nowhere/bash\n", { mode: 0o755 });
  chmodSync(program, 0o755);
  await expect(endByPodman()).rejects.toThrow("ENOENT");
});
