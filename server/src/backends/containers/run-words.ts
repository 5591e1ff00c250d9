import type { Runtime } from "#backends/containers/runtime";
import type { Command } from "#workflow/job/job";

/** A container for one job. All paths are absolute. */
export interface Container {
  readonly name: string;
  /** `<host>/<job>`: the owner of the container. */
  readonly label: string;
  /** The image's id, to run exactly the inspected image. */
  readonly imageId: string;
  readonly command: Command;
  /** The file in the container that holds the script, if the script is too long for an argument. */
  readonly scriptFile?: string;
  /** Lines of `NAME=value`, unreadable for other users of the machine. */
  readonly environmentFile: string;
  /** The file into which podman writes the pid of the container's first process, to measure the job. */
  readonly pidFile: string;
  /** The file into which docker writes the id of a new container. */
  readonly idFile: string;
  readonly binds: readonly Bind[];
  /** Options for the devices of the container. */
  readonly devices: readonly string[];
  /** Folders with the hooks of the runtime. Empty: the runtime's own. */
  readonly hookFolders: readonly string[];
  readonly user: ContainerUser;
  /** The profile of system calls. Absent: the runtime's own. */
  readonly callProfile?: string | undefined;
  readonly memoryBytes?: number | undefined;
  readonly cores?: number | undefined;
  readonly maxProcesses?: number | undefined;
  /** True if the container has the network of the machine. */
  readonly hasNetwork: boolean;
  readonly workingFolder: string;
  readonly readsInput: boolean;
  /** True if output and errors go to the same place, and keep their order. */
  readonly isMerged: boolean;
}

export interface Bind {
  readonly from: string;
  readonly at: string;
  readonly mode: "read" | "write";
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The key of the label by which a container of ours is found. */
const JOB_LABEL = "reprise.job";

/** Returns the words of `podman run`, or of `docker run`, for a container. */
export function runWords(runtime: Runtime, container: Container): [string, ...string[]] {
  const { name, label, imageId, environmentFile, binds, hasNetwork, workingFolder, readsInput } = container;
  return [
    runtime.program,
    ...container.hookFolders.map((folder) => `--hooks-dir=${folder}`),
    "run",
    "--rm",
    "--pull=never",
    "--log-driver=none",
    "--no-healthcheck",
    ...(runtime.hasInit ? ["--init"] : []),
    ...(readsInput ? ["--interactive"] : []),
    `--name=${name}`,
    `--label=${JOB_LABEL}=${label}`,
    `--network=${hasNetwork ? "host" : "none"}`,
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
    // On SELinux the job could not read its workspace, which is not labelled for containers.
    "--security-opt=label=disable",
    ...(container.callProfile === undefined ? [] : [`--security-opt=seccomp=${container.callProfile}`]),
    ...userWords(runtime, container.user),
    ...limitWords(runtime, container),
    ...container.devices,
    `--env-file=${environmentFile}`,
    ...binds.map((bind) => `--mount=${bindWord(bind)}`),
    `--workdir=${workingFolder}`,
    ...commandWords(container, imageId),
  ];
}

/**
 * Returns the words for the limits. The keeper measures the containers of podman too, and reports why it ends
 * a container. But the keeper cannot see files in memory, and does not ask docker where a container runs: the
 * kernel limits the memory as well. Without root, podman sets a limit on processes by itself, and on some
 * machines podman may set no further limits.
 */
function limitWords(runtime: Runtime, container: Container): readonly string[] {
  const { pidFile, idFile, memoryBytes, cores, maxProcesses } = container;
  const isPodman = runtime.name === "podman";
  const mayLimit = !(isPodman && runtime.isRootless);
  return [
    isPodman ? `--pidfile=${pidFile}` : `--cidfile=${idFile}`,
    ...(!mayLimit || memoryBytes === undefined
      ? []
      : [`--memory=${memoryBytes}b`, `--memory-swap=${memoryBytes}b`]),
    ...(mayLimit && cores !== undefined ? [`--cpus=${cores}`] : []),
    // The keeper ends the job first, and records why. The kernel's limit applies between two checks of the
    // keeper.
    ...(mayLimit && maxProcesses !== undefined
      ? [`--pids-limit=${isPodman ? 2 * maxProcesses : maxProcesses}`]
      : []),
  ];
}

/**
 * Returns the words for the job's user, chosen so that the files it makes belong to the server's user. Without root,
 * the container's user is mapped to the server's. With root, the job may write the server's files, and the files it
 * makes are handed over afterwards (container-job.sh).
 */
function userWords({ name, isRootless, ids }: Runtime, { uid, gid }: ContainerUser): readonly string[] {
  const user = `--user=${uid}:${gid}`;
  if (name === "docker") return [user];
  if (!isRootless) return [user, "--cap-add=DAC_OVERRIDE", "--cap-add=FOWNER"];
  const { users = 1, groups = 1 } = ids ?? {};
  return [...mapWords("--uidmap", uid, users), ...mapWords("--gidmap", gid, groups), user];
}

/**
 * Maps the first id of a namespace, the server's, to this id of the container, and keeps the order of the
 * remaining ids. `--userns=keep-id` does the same, but podman 4.3 fails if the id is 0, as REANA's group is.
 */
function mapWords(option: string, id: number, count: number): readonly string[] {
  const below = Math.min(id, count - 1);
  const above = count - 1 - below;
  return [
    ...(below > 0 ? [`${option}=0:1:${below}`] : []),
    `${option}=${id}:0:1`,
    ...(above > 0 ? [`${option}=${id + 1}:${below + 1}:${above}`] : []),
  ];
}

/** The word is a line of comma-separated values, in which a value with a comma or a quote is quoted. */
export function bindWord(
  { from, at, mode }: Bind,
  { target, read }: { readonly target: string; readonly read: string } = {
    target: "target",
    read: "readonly",
  },
): string {
  const fields = ["type=bind", `source=${from}`, `${target}=${at}`, ...(mode === "read" ? [read] : [])];
  return fields
    .map((field) => (/[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");
}

/**
 * Keeps output and errors in order, which would otherwise reach the log through two pipes. The script starts no further
 * process.
 */
const MERGED_SCRIPT = 'exec "$0" -c "$1" 2>&1';
const MERGED_FILE = 'exec "$0" "$1" 2>&1';

/** A program is given to the image's ENTRYPOINT. A script is run by bash, as in REANA. */
function commandWords({ command, scriptFile, isMerged }: Container, imageId: string): readonly string[] {
  if ("argv" in command) return [imageId, ...command.argv];
  return ["--entrypoint=bash", imageId, ...scriptWords(command.script, scriptFile, isMerged)];
}

/** Returns the arguments with which bash runs a script, or the file that holds the script. */
export function scriptWords(script: string, file: string | undefined, isMerged: boolean): readonly string[] {
  if (isMerged) return ["-c", file === undefined ? MERGED_SCRIPT : MERGED_FILE, "bash", file ?? script];
  return [...(file === undefined ? ["-c"] : []), file ?? script];
}
