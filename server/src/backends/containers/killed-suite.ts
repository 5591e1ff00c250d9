import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Backend, JobRequest } from "#backends/backend";
import { type Ends, jobOf, watchEnds } from "#backends/backend-fixture";
import { openContainers } from "#backends/containers/containers-fixture";
import { containerName } from "#backends/containers/end-container";
import { BASH_IMAGE, type Podman } from "#backends/containers/podman-fixture";
import { readRecord } from "#backends/process/attempt/record";
import { BOOT_ID } from "#backends/local/local-fixture";
import { readProc, signal } from "#backends/process/table/process-table";
import { systemRandom } from "#plumbing/ids";

const HOST = "host-of-killed-containers";
/** A container starts and ends within this time on a quiet machine. */
const MOMENTS_MS = 700;
const LOOK_INTERVAL_MS = 2;
const AT_ONCE = 3;
/**
 * Time in which the monitor has to make a container. The monitor waits for ever if the runtime is killed at
 * this stage.
 */
const CONTAINER_SECONDS = 10;

/** The processes between a server and the command of a job in a container. Each is killed. The group is also asked to end. */
const VICTIMS = [
  "slot",
  "program of the slot",
  "group",
  "asked group",
  "client",
  "monitor",
  "runtime",
  "server",
] as const;
type Victim = (typeof VICTIMS)[number];

/** A job during which a process is killed. */
interface Killing {
  readonly victim: Victim;
  readonly afterMs: number;
}

/**
 * Runs jobs in containers, and kills one of the processes around each, at `moments` times spread over its life. Returns a
 * sentence for each job that ran twice, was taken for finished and did not run, or left something.
 */
export async function killedAnywhere(podman: Podman, moments: number): Promise<string[]> {
  const killings = Array.from({ length: moments }, (_, index) => (index * MOMENTS_MS) / moments).flatMap(
    (afterMs) => VICTIMS.map((victim): Killing => ({ victim, afterMs })),
  );
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-killed-"));
  const workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
  const broken: string[] = [];
  const work = async () => {
    for (let next = killings.shift(); next; next = killings.shift()) {
      const { victim, afterMs } = next;
      const found = await killDuring(podman, { folder, workspaceFolder }, next);
      broken.push(...found.map((what) => `${victim} killed after ${afterMs} ms: ${what}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  broken.push(...leftIn(podman));
  await rm(folder, { recursive: true });
  await rm(workspaceFolder, { recursive: true });
  return broken;
}

interface Folders {
  readonly folder: string;
  readonly workspaceFolder: string;
}

async function killDuring(
  podman: Podman,
  { folder, workspaceFolder }: Folders,
  { victim, afterMs }: Killing,
): Promise<string[]> {
  const script = "echo $REPRISE_JOB_ID >> ran; (setsid sleep 0.05 &); sleep 0.05";
  const id = systemRandom.uuid();
  const job = { id, job: jobOf(script, { image: BASH_IMAGE }), workspaceFolder, hostToken: BOOT_ID };
  let server = serverOf(podman, folder);
  await server.backend.submit(job);
  let ended = server.ends.of(id);
  await delay(afterMs);
  if (victim === "server") {
    await server.backend.close();
    server = serverOf(podman, folder);
    ended = server.ends.of(id);
    const state = await server.backend.submit(job);
    if (state.status === "ended") ended = Promise.resolve(state.end);
  } else await killFirst(path.join(folder, id), victim, containerName(HOST, id), ended);
  const end = await ended;
  const again = await server.backend.submit(job);
  await server.backend.endLeftovers([id]);
  await server.backend.close();
  const times = timesRun(workspaceFolder, job);
  const left = await leftBehind(containerName(HOST, id));
  return [
    ...(times > 1 ? [`it ran ${times} times`] : []),
    ...(end.exitCode === 0 && times !== 1 ? ["it has finished, and did not run"] : []),
    ...(end.reason === "not-started" && times > 0 ? ["it ran, and is said not to have started"] : []),
    ...(again.status === "ended" ? [] : [`it has ended, and is ${again.status} again`]),
    ...(left.length > 0 ? [`processes are left: ${left.map(commandOf).join("; ")}`] : []),
  ];
}

/**
 * Returns the processes of a container that do not end by themselves. The monitor ends a moment after the
 * container.
 */
async function leftBehind(name: string): Promise<readonly number[]> {
  for (let look = 0; look < 200 && pidsNaming(name, "").length > 0; look += 1) await delay(50);
  return pidsNaming(name, "");
}

function serverOf(podman: Podman, folder: string): { readonly backend: Backend; readonly ends: Ends } {
  const local = { containerSeconds: CONTAINER_SECONDS };
  const backend = openContainers(podman, folder, HOST, { local });
  return { backend, ends: watchEnds(backend) };
}

/** Kills the first process of the kind that appears, unless the job ends before. */
async function killFirst(
  folder: string,
  victim: Exclude<Victim, "server">,
  name: string,
  ended: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!isOver) {
    const pid = maybePid(folder, victim, name);
    if (pid !== undefined && signal(pid, victim === "asked group" ? "SIGTERM" : "SIGKILL")) return;
    await delay(LOOK_INTERVAL_MS);
  }
}

function maybePid(folder: string, victim: Exclude<Victim, "server">, name: string): number | undefined {
  const { owner, group } = readRecord(folder);
  switch (victim) {
    case "slot":
      return typeof owner === "object" ? owner.pid : undefined;
    case "program of the slot":
      return group;
    case "group":
    case "asked group":
      return group === undefined ? undefined : -group;
    case "client":
      return pidsNaming(name, "podman")[0];
    case "monitor":
      return pidsNaming(name, "conmon")[0];
    case "runtime":
      // The process's words name the container's own id: the process is a child of the monitor.
      return pidsNaming(name, "conmon").flatMap(childrenOf)[0];
  }
}

/** Returns the processes of the program, or of any program, with the name among their arguments. */
function pidsNaming(name: string, program: string): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const words = readProc(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
    return words[0]?.endsWith(program) === true && words.some((word) => word.includes(name));
  });
}

function childrenOf(pid: number): number[] {
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ") ?? [];
  return children.filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  return readProc(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").slice(0, 200) ?? "";
}

function timesRun(workspaceFolder: string, { id }: JobRequest): number {
  const file = path.join(workspaceFolder, "ran");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line === id).length;
}

/** Returns the containers, volumes and mounts of a podman. */
function leftIn(podman: Podman): string[] {
  const volumes = podman.run("volume", "ls", "--quiet").split("\n").filter(Boolean);
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const merged = mounts.filter((line) => line.includes(`${podman.folder}/`) && line.includes("/merged "));
  return [
    ...podman.containers().map((name) => `The container ${name} is left.`),
    ...volumes.map((name) => `The volume ${name} is left.`),
    ...merged.map((line) => `A mount is left: ${line.split(" ")[1]}`),
  ];
}
