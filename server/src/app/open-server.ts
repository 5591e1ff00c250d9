import { rm } from "node:fs/promises";
import os from "node:os";
import { openBackends, openReaders } from "#app/jobs/backends";
import { compose, type Server } from "#app/compose";
import { type OpenedData, openData, type DatabaseHooks } from "#app/data-folder";
import { notebookSettings } from "#app/notebooks";
import { packSources } from "#app/packing/pack-sources";
import { openWall, trySandbox } from "#app/jobs/sandbox";
import { maybePeering, type Peering } from "#app/peering";
import type { ServerParts } from "#app/server-parts";
import { maybeSnakemake } from "#app/snakemake";
import { ENGINES } from "#app/supported";
import type { Backend } from "#backends/backend";
import type { Config } from "#config/settings";
import type { Operations } from "#operations/operations";
import type { RunSettings } from "#operations/runs/run-settings";
import { SettingError } from "#config/read";
import { systemClock } from "#plumbing/clock";
import { maybeProgram } from "#plumbing/files/find-program";
import { systemRandom } from "#plumbing/ids";
import type { Rotation } from "#plumbing/files/rotating-file";
import { createLog, type Log } from "#plumbing/log";
import { type OutageLog, quietInOutages } from "#plumbing/outages";
import { openBundles } from "#sources/bundle";
import { openDataSource } from "#sources/data/open-data";
import { openDeposits } from "#sources/deposits/open-deposits";
import { openDocumentSource } from "#sources/fetch-document";
import { openGitlab } from "#sources/gitlab";
import { openGitSource } from "#sources/git-source";
import { openContentStore } from "#workspace/contents/content-store";

/** A composed server over the data folder of its settings. */
export interface OpenedServer extends Omit<Server, "close"> {
  readonly opened: OpenedData;
  readonly log: Log;
  /** Sentences for the person at the terminal. */
  readonly warnings: readonly string[];
  /** Prepares for jobs that will come soon and name no backend. */
  expectJobs(): void;
  /** Closes the server and everything it was opened with. Returns how many jobs continue. */
  close(stopJobs: boolean): Promise<{ jobsLeftRunning: number }>;
}

/** Replacements for parts of the product. */
export interface Substitutes extends Partial<
  Pick<ServerParts, "engines" | "scheduledReport" | "snapshotEveryEvents">
> {
  /** Returns a backend to use in place of one of the product's. */
  readonly insteadOf?: (backend: Backend) => Backend;
}

/** Opens the parts of a server as the settings say, and composes them. */
export async function openServer(
  config: Config,
  { insteadOf = (backend) => backend, ...substitutes }: Substitutes,
): Promise<OpenedServer> {
  requireBash();
  const openProviders = await maybeSignIn(config);
  const hooks: DatabaseHooks = { onDatabaseError: () => undefined };
  const { opened, sandbox } = await openDataAndSandbox(config, hooks);
  const destination = config.logTo === "file" ? opened.data.log : process.stderr.fd;
  const log = quietInOutages(
    createLog({ level: config.logLevel, destination, rotation: rotationOf(config) }),
  );
  hooks.onDatabaseError = (error, message) => log.warn({ err: error }, message);
  const { backends: own, warnings } = await openAllBackends(config, opened, sandbox, log);
  const backends = own.map(insteadOf);
  const signInProviders = openProviders?.({ clock: systemClock, log });
  const peering = await orClose({ opened, log, backends }, () => maybePeering(config, opened, backends, log));
  const parts = partsOf(config, opened, backends, log);
  const server = compose({ ...parts, ...peeringParts(parts, peering), signInProviders, ...substitutes });
  peering?.answer(server.operations);
  return {
    ...server,
    opened,
    log,
    warnings: [...warnings, ...(peering?.warnings ?? [])],
    expectJobs: () => backends[0]?.expectJobs?.(),
    async close(stopJobs) {
      await server.close({ stopJobs });
      await peering?.close();
      const jobsLeftRunning = backends.reduce((sum, backend) => sum + backend.runningJobs(), 0);
      await Promise.all(backends.map((backend) => backend.close()));
      await rm(opened.data.server, { force: true });
      await opened.close();
      log.info({ jobsLeftRunning }, "server stopped");
      await log.close();
      return { jobsLeftRunning };
    },
  };
}

/** Reads the secrets of the providers of sign-in, before anything is written. */
async function maybeSignIn(config: Config) {
  if (config.signIn.length === 0) return undefined;
  return (await import("#app/sign-in-providers")).readProviders(config);
}

/** Refuses a machine that can start no job, before anything is written. */
function requireBash(): void {
  if (maybeProgram("bash") !== undefined) return;
  throw new SettingError([
    "There is no bash in the PATH, and no job can run without it. Install bash, or add its folder to the PATH.",
  ]);
}

type TriedSandbox = ReturnType<typeof trySandbox>;

/** Tries the sandbox while the database is opened. */
async function openDataAndSandbox(
  config: Config,
  hooks: DatabaseHooks,
): Promise<{ readonly opened: OpenedData; readonly sandbox: TriedSandbox }> {
  const tried: { sandbox?: TriedSandbox } = {};
  hooks.onFolderHeld = ({ jobs }) => {
    tried.sandbox = trySandbox(config, jobs);
    // The trial may fail before anything awaits it.
    tried.sandbox.catch(() => undefined);
  };
  try {
    return { opened: await openData(config, hooks), sandbox: tried.sandbox! };
  } catch (error) {
    await tried.sandbox?.catch(() => undefined);
    throw error;
  }
}

function rotationOf({ logMaxBytes, logMaxAgeMs, logFilesKept }: Config): Rotation {
  return { maxBytes: logMaxBytes, maxAgeMs: logMaxAgeMs, kept: logFilesKept, clock: systemClock };
}

/**
 * Opens all backends. Closes the data folder again if the requested sandbox is unavailable on this machine.
 */
async function openAllBackends(
  config: Config,
  opened: OpenedData,
  sandbox: TriedSandbox,
  log: Log,
): Promise<{ readonly backends: readonly Backend[]; readonly warnings: readonly string[] }> {
  return orClose({ opened, log, backends: [] }, async () => {
    const { wall, warning } = await openWall(config, sandbox, log);
    const backends = openBackends(config, opened, log, wall);
    return { backends, warnings: warning === undefined ? [] : [warning] };
  });
}

interface OpenedSoFar {
  readonly opened: OpenedData;
  readonly log: Log;
  readonly backends: readonly Backend[];
}

/** Closes what was opened if the next part cannot be opened. */
async function orClose<Part>(
  { opened, log, backends }: OpenedSoFar,
  open: () => Promise<Part>,
): Promise<Part> {
  try {
    return await open();
  } catch (error) {
    await Promise.all(backends.map((backend) => backend.close()));
    await opened.close();
    await log.close();
    throw error;
  }
}

/** Returns the parts of a server with peers. */
function peeringParts(
  { host }: ServerParts,
  peering: Peering | undefined,
): Partial<Pick<ServerParts, "host" | "others">> {
  return peering ? { host: { ...host, address: peering.address }, others: peering.others } : {};
}

/**
 * Returns operations for a process that only reads the folder: no service is started, and no run is driven.
 */
export function readingOperations(config: Config, opened: OpenedData, log: Log): Operations {
  const readers = openReaders(opened.data);
  return compose(partsOf(config, opened, readers, quietInOutages(log))).operations;
}

function partsOf(
  config: Config,
  opened: OpenedData,
  backends: readonly Backend[],
  log: OutageLog,
): ServerParts {
  const { db, disk, workspaces, uploads, tokenSeal, incomingFolder, hostId, sharedId } = opened;
  return {
    db,
    clock: systemClock,
    random: systemRandom,
    log,
    disk,
    host: { id: hostId, name: os.hostname(), sharedId },
    engines: enginesOf(config),
    backends,
    workspaces,
    uploads,
    git: gitSourceOf(config, incomingFolder),
    documents: openDocumentSource({ httpHosts: config.gitHttpHosts, privateHosts: config.gitPrivateHosts }),
    ...addressesOf(config, opened),
    bundles: openBundles({ folder: incomingFolder, random: systemRandom }),
    tokenSeal,
    ...(opened.keepAdminToken && { keepAdminToken: opened.keepAdminToken }),
    limits: {
      maxRunsAtOnce: config.maxRunsAtOnce,
      maxRunsPerUser: config.maxRunsPerUser,
      capacity: {
        cores: config.cores,
        memoryBytes: config.memoryBytes,
        gpus: backends.find(({ isHostBound }) => isHostBound)?.capabilities.maxGpus?.() ?? 0,
      },
      maxLogBytesInReply: config.maxLogBytesInReply,
      jobsInFlight: config.maxClusterJobs,
    },
    runSettings: runSettingsOf(config),
    defaultQuota: {
      cpuMs: config.quotaCpuMs,
      diskBytes: config.quotaDiskBytes,
      wallMs: config.quotaWallMs,
    },
    notebooks: notebookSettings(config),
    notifications: notificationSettings(config, opened.admin.email),
    gitlab: gitlabOf(config),
    packing: packSources(config),
    deposits: openDeposits({ folder: opened.data.deposits, privateHosts: config.depositPrivateHosts }),
    shadowOf: config.shadowOf?.replace(/\/+$/, ""),
  };
}

/** Returns what fetches inputs from addresses and publishes outputs. */
function addressesOf(
  config: Config,
  { data, hostId }: OpenedData,
): Pick<ServerParts, "inputs" | "outputStore"> {
  const { dataHttpHosts: httpHosts, dataPrivateHosts: privateHosts, s3Endpoint, s3Region } = config;
  const source = openDataSource({ httpHosts, privateHosts, s3Endpoint, s3Region, clock: systemClock });
  return {
    outputStore: source,
    inputs: {
      source,
      contents: openContentStore({
        folder: data.contents,
        serverId: hostId,
        maxBytes: config.inputStoreBytes,
        fsync: config.durability === "full",
        clock: systemClock,
        random: systemRandom,
      }),
    },
  };
}

function runSettingsOf(config: Config): RunSettings {
  const { retries: most, retryDelayMs: delayMs, retryOn: after, mostOutstanding, reuseAcrossRuns } = config;
  return {
    keep: { runsMs: config.keepRunsMs, eventsMs: config.keepEventsMs },
    retries: most > 0 ? { most, delayMs, after } : undefined,
    mostOutstanding,
    reuseAcrossRuns,
    shadowHost: config.shadowOf && new URL(config.shadowOf).host,
  };
}

function notificationSettings(
  { webhookPrivateHosts: privateHosts, mailServer: server, mailFrom }: Config,
  adminEmail: string,
): ServerParts["notifications"] {
  const from = mailFrom ?? adminEmail;
  return { webhooks: { privateHosts }, ...(server !== undefined && { mail: { server, from } }) };
}

function enginesOf(config: Config): ServerParts["engines"] {
  const snakemake = maybeSnakemake(config);
  return snakemake ? [...ENGINES, snakemake] : ENGINES;
}

function gitlabOf({
  gitlab: address,
  gitHttpHosts: httpHosts,
  gitPrivateHosts: privateHosts,
}: Config): ServerParts["gitlab"] {
  return address === undefined ? undefined : openGitlab({ address, httpHosts, privateHosts });
}

function gitSourceOf(config: Config, tempFolder: string): ServerParts["git"] {
  return openGitSource({
    httpHosts: config.gitHttpHosts,
    privateHosts: config.gitPrivateHosts,
    maxBytes: config.gitMaxBytes,
    maxFiles: config.gitMaxFiles,
    timeoutMs: config.gitTimeoutMs,
    tempFolder,
  });
}
