import { existsSync } from "node:fs";
import path from "node:path";
import { maybeGpus } from "#app/jobs/gpus";
import { maybeContainers } from "#app/jobs/containers";
import type { OpenedData } from "#app/data-folder";
import { wordsOfPlace } from "#app/jobs/backend-words";
import { imagesOf } from "#app/jobs/images";
import { maybeJobGroups } from "#app/jobs/limits";
import type { Backend } from "#backends/backend";
import { findGpus } from "#backends/gpus/find-gpus";
import { findRuntime } from "#backends/containers/runtime";
import { requiredImageProblem } from "#backends/local/images/image-map";
import {
  HTCONDOR,
  HTCONDOR_CAPABILITIES,
  condorProblem,
  openCondorBackend,
  openCondorReader,
} from "#backends/htcondor/condor-backend";
import {
  KUBERNETES,
  KUBERNETES_CAPABILITIES,
  kubernetesProblem,
  openKubernetesBackend,
  openKubernetesReader,
} from "#backends/kubernetes/kubernetes-backend";
import { LOCAL, LOCAL_CAPABILITIES } from "#backends/local/capabilities";
import { type LocalBackendOptions, openLocalBackend } from "#backends/local/local-backend";
import { openLogsOnly } from "#backends/local/logs-only";
import { readBootId } from "#backends/process/table/boot-id";
import { openSlurmBackend, openSlurmReader, SLURM, SLURM_CAPABILITIES } from "#backends/slurm/slurm-backend";
import type { Wall } from "#backends/walls/wall";
import type { Config } from "#config/settings";
import { probeProblem } from "#backends/record/probe-job";
import { placeProblem } from "#backends/record/place-problem";
import { condorPlace } from "#backends/htcondor/condor-place";
import { openSlurm } from "#backends/slurm/slurm-place";
import type { NodeContainers } from "#backends/record/node-containers";
import type { Place } from "#backends/record/place";
import { systemClock } from "#plumbing/clock";
import { type DataFolder, dataFolderPaths } from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import type { BackendCapabilities, NamedCapabilities } from "#workflow/capabilities";
import type { BackendReport } from "#workflow/reports";
import { removeTree } from "#workspace/remove/remove-tree";

/** A kind of backend in this product. */
interface Kind {
  readonly name: string;
  /** The name in the settings. */
  readonly word: Config["backends"][number];
  readonly capabilities: BackendCapabilities;
  /** Returns why the place where its jobs run cannot be reached. A kind without one runs jobs on this machine. */
  problem?(config: ReportConfig): Promise<string | undefined>;
  /** Sends a job to inspect a node. Returns the problem, if any. */
  probe?(jobsFolder: string, config: ReportConfig): Promise<string | undefined>;
  /** Opens the backend for a server. */
  open(config: Config, opened: OpenedData, log: BackendLog, wall: Wall | undefined): Backend;
  /** Opens the backend for a process that runs no jobs, but reads job logs and exports jobs to backups. */
  openReader(data: DataFolder): Backend;
}

type ReportConfig = Pick<
  Config,
  | "backends"
  | "defaultBackend"
  | "computeBackends"
  | "dataFolder"
  | "sharedFolder"
  | "kubernetesConfig"
  | "kubernetesNamespace"
  | "kubernetesPod"
  | "kubernetesPullSecrets"
  | "slurmHost"
  | "slurmSshConfig"
>;

interface BackendLog {
  error(details: object, message: string): void;
}

const KINDS: readonly Kind[] = [
  {
    name: LOCAL,
    word: "local",
    capabilities: LOCAL_CAPABILITIES,
    open: (...parts) => openLocalBackend(localOptions(...parts)),
    openReader: (data) => openLogsOnly(data.jobs),
  },
  {
    name: SLURM,
    word: "slurm",
    capabilities: SLURM_CAPABILITIES,
    problem: (config) => onSlurm(config, placeProblem),
    probe: (folder, config) => onSlurm(config, (place) => probeProblem(place, folder, systemClock)),
    open: (config, { data, hostId }, log) =>
      openSlurmBackend({
        ...recordOptions(config, hostId, log),
        folder: data.records,
        login: slurmLogin(config),
        nodeContainers: nodeContainers(config),
      }),
    openReader: (data) => openSlurmReader(data.records),
  },
  {
    name: HTCONDOR,
    word: "htcondor",
    capabilities: HTCONDOR_CAPABILITIES,
    problem: () => condorProblem(),
    probe: (folder) => probeProblem(condorPlace, folder, systemClock),
    open: (config, { data, hostId }, log) =>
      openCondorBackend({ ...recordOptions(config, hostId, log), folder: data.records }),
    openReader: (data) => openCondorReader(data.records),
  },
  {
    name: KUBERNETES,
    word: "kubernetes",
    capabilities: KUBERNETES_CAPABILITIES,
    problem: (config) =>
      kubernetesProblem(kubernetesSource(config), {
        pullSecrets: config.kubernetesPullSecrets,
        podFile: config.kubernetesPod,
      }),
    open: (config, { data, hostId }, log) =>
      openKubernetesBackend({
        ...recordOptions(config, hostId, log),
        folder: data.records,
        source: kubernetesSource(config),
        claim: config.kubernetesClaim,
        podFile: config.kubernetesPod,
        pullSecrets: config.kubernetesPullSecrets,
        defaultImage: config.defaultImage,
        allowedImages: config.allowedImages,
        pullImages: config.pullImages,
        pullTimeoutMs: config.pullTimeoutMs,
      }),
    openReader: (data) => openKubernetesReader(data.records),
  },
];

function slurmLogin({ slurmHost, slurmSshConfig }: Pick<Config, "slurmHost" | "slurmSshConfig">) {
  return slurmHost === undefined ? undefined : { host: slurmHost, configFile: slurmSshConfig };
}

function nodeContainers(config: Config): NodeContainers | undefined {
  const { slurmContainers: runtime, pullImages: pull, defaultImage, allowedImages } = config;
  return runtime === "none" ? undefined : { runtime, pull, defaultImage, allowedImages };
}

/** Looks at Slurm with a connection of its own. */
async function onSlurm<Found>(config: ReportConfig, look: (place: Place) => Promise<Found>): Promise<Found> {
  const { place } = openSlurm(systemClock, slurmLogin(config));
  try {
    return await look(place);
  } finally {
    await place.close?.();
  }
}

function kubernetesSource(config: Pick<Config, "kubernetesConfig" | "kubernetesNamespace">) {
  return { kubeconfig: config.kubernetesConfig, namespace: config.kubernetesNamespace };
}

/** Returns the kinds of backends in the settings. The first kind runs the jobs without a `compute_backend`. */
function configured({
  backends,
  defaultBackend,
}: Pick<Config, "backends" | "defaultBackend">): readonly Kind[] {
  const words = defaultBackend === undefined ? backends : [defaultBackend, ...backends];
  const chosen = words.map((word) => KINDS.find((kind) => kind.word === word)!);
  // Programs of this machine, such as notebooks and the planner of Snakemake, always need the local backend.
  const rest = KINDS.filter(({ name }) => name === LOCAL);
  return [...new Set([...chosen, ...rest])];
}

function recordOptions(config: Config, hostId: string, log: BackendLog) {
  return {
    hostId,
    clock: systemClock,
    maxOutputBytes: config.maxJobOutputBytes,
    removeTree: (folder: string) => removeTree(folder, systemRandom),
    environment: config.jobEnvironment,
    log,
  };
}

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
    gpus: maybeGpus(config, data.jobs, log),
    groups: maybeJobGroups(config, hostId, log),
    images: imagesOf(config),
    cvmfs: config.cvmfs,
  };
}

/** Returns the backends that a server with these settings has, and whether the places of their jobs can be reached. */
export function reportBackends(config: ReportConfig): Promise<readonly BackendReport[]> {
  const { records } = dataFolderPaths(config.dataFolder, config.sharedFolder);
  return Promise.all(
    configured(config).map(async ({ name, word, capabilities, problem, probe }) => ({
      name,
      computeBackends: wordsOfPlace(word, capabilities, config),
      problem:
        (await problem?.(config)) ??
        (existsSync(records) ? await probe?.(path.join(records, "probes"), config) : undefined),
    })),
  );
}

/** Capabilities of this product's backends, for a process without settings. */
const KNOWN_BACKENDS: readonly NamedCapabilities[] = KINDS.map(({ name, capabilities }) => ({
  name,
  ...capabilities,
}));

/** Returns the capabilities of all backends, with this machine's answers about required images and GPUs. */
export function backendsOfMachine(): readonly NamedCapabilities[] {
  const settings = { mode: "map", standIns: [] } as const;
  let found: ReturnType<typeof findRuntime> | undefined;
  const requiredProblem = async (image: string) => {
    found ??= findRuntime("auto");
    const runtime = await found;
    return "problem" in runtime ? requiredImageProblem(settings, image, runtime.problem) : undefined;
  };
  return KNOWN_BACKENDS.map((backend) => ({
    ...backend,
    requiredImageProblem: requiredProblem,
    ...(backend.name === LOCAL && { maxGpus: () => findGpus("auto").offered.length }),
  }));
}

export function openBackends(
  config: Config,
  opened: OpenedData,
  log: BackendLog,
  wall: Wall | undefined,
): Backend[] {
  return configured(config).map(({ word, open }) => {
    const backend = open(config, opened, log, wall);
    const computeBackends = wordsOfPlace(word, backend.capabilities, config);
    return { ...backend, capabilities: { ...backend.capabilities, computeBackends } };
  });
}

/** Opens the backends for a process that runs no jobs. */
export function openReaders(data: DataFolder): Backend[] {
  return KINDS.map((kind) => kind.openReader(data));
}
