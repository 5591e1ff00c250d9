import { maybeContainers } from "#app/jobs/containers";
import type { OpenedData } from "#app/data-folder";
import { imagesOf } from "#app/jobs/images";
import { maybeJobGroups } from "#app/jobs/limits";
import type { Backend } from "#backends/backend";
import { findRuntime } from "#backends/containers/runtime";
import { requiredImageProblem } from "#backends/local/images/image-map";
import { LOCAL, LOCAL_CAPABILITIES } from "#backends/local/capabilities";
import { type LocalBackendOptions, openLocalBackend } from "#backends/local/local-backend";
import { openLogsOnly } from "#backends/local/logs-only";
import { readBootId } from "#backends/process/table/boot-id";
import type { Wall } from "#backends/walls/wall";
import type { Config } from "#config/settings";
import { systemClock } from "#plumbing/clock";
import type { DataFolder } from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import type { BackendCapabilities, NamedCapabilities } from "#workflow/capabilities";
import { removeTree } from "#workspace/remove/remove-tree";

/** A kind of backend in this product. */
interface Kind {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  /** Opens the backend for a server. Returns undefined if the settings do not ask for this backend. */
  open(config: Config, opened: OpenedData, log: BackendLog, wall: Wall | undefined): Backend | undefined;
  /** Opens the backend for a process that runs no jobs, but reads job logs and exports jobs to backups. */
  openReader(config: Config, data: DataFolder): Backend | undefined;
}

interface BackendLog {
  error(details: object, message: string): void;
}

/** The first entry is the default backend. */
const KINDS: readonly Kind[] = [
  {
    name: LOCAL,
    capabilities: LOCAL_CAPABILITIES,
    open: (...parts) => openLocalBackend(localOptions(...parts)),
    openReader: (_config, data) => openLogsOnly(data.jobs),
  },
];

function localOptions(
  config: Config,
  { data, hostId }: OpenedData,
  log: BackendLog,
  wall: Wall | undefined,
): LocalBackendOptions {
  return {
    folder: data.jobs,
    hostId,
    bootId: readBootId(),
    clock: systemClock,
    maxOutputBytes: config.maxJobOutputBytes,
    maxProcesses: config.maxJobProcesses,
    maxDiskBytes: config.maxJobDiskBytes,
    maxFiles: config.maxJobFiles,
    removeTree: (folder) => removeTree(folder, systemRandom),
    environment: config.jobEnvironment,
    containers: maybeContainers(config, { data, hostId }, log),
    log,
    wall,
    groups: maybeJobGroups(config, hostId, log),
    images: imagesOf(config),
    cvmfs: config.cvmfs,
  };
}

/** Capabilities of this product's backends, for a process without settings. */
export const KNOWN_BACKENDS: readonly NamedCapabilities[] = KINDS.map(({ name, capabilities }) => ({
  name,
  ...capabilities,
}));

/** Returns the capabilities of all backends, with this machine's answers about required images. */
export function backendsOfMachine(): readonly NamedCapabilities[] {
  const settings = { mode: "map", standIns: [] } as const;
  let found: ReturnType<typeof findRuntime> | undefined;
  const requiredProblem = async (image: string) => {
    found ??= findRuntime("auto");
    const runtime = await found;
    return "problem" in runtime ? requiredImageProblem(settings, image, runtime.problem) : undefined;
  };
  return KNOWN_BACKENDS.map((backend) => ({ ...backend, requiredImageProblem: requiredProblem }));
}

export function openBackends(
  config: Config,
  opened: OpenedData,
  log: BackendLog,
  wall: Wall | undefined,
): Backend[] {
  return KINDS.map((kind) => kind.open(config, opened, log, wall)).filter((backend) => backend !== undefined);
}

/** Opens the backends for a process that runs no jobs. */
export function openReaders(config: Config, data: DataFolder): Backend[] {
  return KINDS.map((kind) => kind.openReader(config, data)).filter((backend) => backend !== undefined);
}
