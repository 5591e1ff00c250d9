import { existsSync } from "node:fs";
import type { JobRequest } from "#backends/backend";
import type { DeviceNode, Gpu } from "#backends/gpus/gpu";
import type { Containers } from "#backends/containers/containers";
import { makeFolder, scratchFolder } from "#backends/process/attempt/attempt-folder";
import { secretsFolder } from "#backends/process/attempt/secret-files";
import { bindSources } from "#backends/process/slots/bind-sources";
import { hasSpecial, howToRun, isLongScript, writeCommand } from "#backends/local/orders/how-to-run";
import { only, pairsOf, type Variables, withExports } from "#backends/local/orders/job-variables";
import { isInherited } from "#backends/walls/inside-variables";
import type { Wall } from "#backends/walls/wall";
import type { Job } from "#workflow/job/job";

/** How a slot starts the command of a job. */
export interface Launch {
  /** The variables that the slot exports, as `NAME=value`. */
  readonly pairs: readonly string[];
  /** The function of start-command.sh that runs the command, with arguments. */
  readonly how: readonly string[];
  /** The program to execute, unless among the function's arguments. */
  readonly program?: readonly string[];
  /** True if the program opens the files of the job's input and output itself. */
  readonly opensFiles?: boolean;
  /** Words of slot.sh that precede the attempt. */
  readonly supervision?: readonly string[];
  /** A line at the beginning of the log. */
  readonly notice?: string | undefined;
  /** The user of the machine that the job's files belong to. Default: the server's. */
  readonly makesFilesAs?: number | undefined;
}

/** Runs the command as a process of this machine, with the full view of its user. */
export function launchDirectly(job: Job, folder: string, { common, secrets, own }: Variables): Launch {
  const { environment, command } = hasSpecial({ ...common, ...secrets, ...own })
    ? // Every user of the machine can see the arguments of a program.
      { environment: { ...common, ...own }, command: withExports(job.command, folder, secrets) }
    : { environment: { ...common, ...secrets, ...own }, command: job.command };
  const pairs = pairsOf(environment);
  return { pairs, how: howToRun(command, environment, pairs, folder) };
}

/** Runs the command in a container. Returns undefined if the job runs without one. The runtime's program never has a variable of the job. */
export function launchInContainer(
  containers: Containers,
  { id, job, workspaceFolder, secrets }: JobRequest,
  folder: string,
  { common, secrets: secretValues, own, credentials }: Variables,
  devices: { readonly gpus: readonly Gpu[]; readonly nodes: readonly DeviceNode[] },
): Launch | undefined {
  const command = containers.command({
    id,
    job,
    credentials,
    devices,
    environment: { ...common, ...secretValues, ...own },
    workspaceFolder,
    attemptFolder: folder,
    scratchFolder: scratchFolder(folder),
    hasSecretFiles: secrets !== undefined && secrets.files.size > 0,
    writeScript: (script) => (isLongScript(script) ? writeCommand(folder, script) : undefined),
  });
  if (!command) return undefined;
  const { environment, environmentFile, lines, argv, notice, makesFilesAs } = command;
  return {
    pairs: pairsOf(environment),
    how: ["as_contained", environmentFile, lines],
    program: argv,
    notice,
    makesFilesAs,
  };
}

/** Runs the command in the sandbox. */
export function launchBehindWall(
  wall: Wall,
  request: JobRequest,
  folder: string,
  variables: Variables,
  { isTimeCounted, nodes }: { readonly isTimeCounted: boolean; readonly nodes: readonly DeviceNode[] },
): Launch {
  const { id, job, workspaceFolder } = request;
  const isInside = (name: string) => !isInherited(name);
  const { common, own } = variables;
  const inherited = only({ ...common, ...variables.secrets, ...own }, isInherited);
  const inside = only({ ...common, ...own }, isInside);
  const command = withExports(job.command, folder, only(variables.secrets, isInside));
  const isLong = "script" in command && isLongScript(command.script);
  const walled = wall.around({
    id,
    job,
    command,
    ...(isLong && { scriptFile: writeCommand(folder, command.script) }),
    inherited,
    inside,
    workspaceFolder,
    attemptFolder: folder,
    scratchFolder: scratchFolder(folder),
    isTimeCounted,
    nodes,
    // Secrets in variables alone are not written to the disk.
    ...(existsSync(secretsFolder(folder)) && { secretsFolder: secretsFolder(folder) }),
  });
  if (walled.temporaryFolder !== undefined) makeFolder(walled.temporaryFolder);
  const shown = walled.shownParts ?? [];
  const how = [
    ...(shown.length === 0 ? [] : ["with_checked", String(shown.length), ...shown]),
    ...(walled.filterFile === undefined ? [] : ["with_filter", walled.filterFile]),
    "as_walled",
  ];
  const supervision = [...(isTimeCounted ? ["counted"] : []), ...gateWords(workspaceFolder, shown)];
  const { argv: program, opensFiles = false, notice } = walled;
  return { pairs: pairsOf(inherited), how, program, supervision, opensFiles, notice };
}

function gateWords(workspaceFolder: string, parts: readonly string[]): readonly string[] {
  if (parts.length === 0) return [];
  const { rootDevice, sources } = bindSources(workspaceFolder, parts);
  return ["gated", rootDevice, String(sources.length), ...sources];
}
