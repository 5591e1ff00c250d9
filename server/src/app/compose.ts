import { rm } from "node:fs/promises";
import os from "node:os";
import type { Backend } from "#backends/backend";
import { readBootId } from "#backends/local/processes/boot-id";
import { openLocalBackend } from "#backends/local/local-backend";
import { openLogsOnly } from "#backends/local/logs-only";
import { COMPUTE_BACKENDS } from "#app/check-specification";
import type { Config } from "#config/settings";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Operations } from "#operations/context";
import { finishRemovals } from "#operations/files/finish-removals";
import { cachingLogTails } from "#operations/watch/log-tail-cache";
import { JobStandings } from "#operations/watch/job-standings";
import { RunGraphs } from "#operations/watch/run-graphs";
import { createRetention } from "#operations/files/retention";
import { createWatching } from "#operations/watch/watching";
import { systemClock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { systemRandom } from "#plumbing/ids";
import { createLog, type Log } from "#plumbing/log";
import { type OutageLog, quietInOutages } from "#plumbing/outages";
import { type EngineRuntime, inProcessRuntime } from "#runner/engine-runtime";
import { openUserSecrets } from "#runner/user-secrets";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { repeatedly } from "#scheduler/repeatedly";
import { openBundles } from "#sources/bundle";
import { openGitSource } from "#sources/git-source";
import { checkConnection, type Connection } from "#store/database";
import { releaseRules } from "#store/retention";
import { listen as listenForWakeUps, type StopListening } from "#store/wake-ups";
import { requestStop } from "#store/runs";
import type { Language } from "#workflow/language";
import { removeTree } from "#workspace/remove-tree";
import { type OpenedData, openData, type Troubles } from "#app/data-folder";

/** Engines and options for runs; tests may substitute them. */
export interface RunParts {
  readonly engines: readonly { readonly engine: Engine; readonly host: EngineRuntime }[];
  readonly snapshotEveryEvents?: number;
}

export const PARTS: RunParts = { engines: [{ engine: serialEngine, host: inProcessRuntime(serialEngine) }] };

/** Everything behind the API. */
export interface House {
  readonly opened: OpenedData;
  readonly log: Log;
  readonly operations: Operations;
  /** Removes what an earlier server left unfinished. */
  tidyUp(): Promise<void>;
  /** Starts driving runs: those from an earlier server, and new ones. */
  begin(): Promise<void>;
  close(stopJobs: boolean): Promise<{ jobsLeftRunning: number }>;
}

export async function openHouse(config: Config, parts: RunParts): Promise<House> {
  const troubles: Troubles = { tell: () => undefined };
  const opened = await openData(config, troubles);
  const destination = config.logTo === "file" ? opened.data.log : process.stderr.fd;
  const log = quietInOutages(createLog({ level: config.logLevel, destination }));
  troubles.tell = (error, message) => log.warn({ err: error }, message);
  const backend = openLocalBackend({
    folder: opened.data.jobs,
    hostId: opened.hostId,
    bootId: readBootId(),
    clock: systemClock,
    maxOutputBytes: config.maxJobOutputBytes,
    removeTree: (folder) => removeTree(folder, systemRandom),
    environment: config.jobEnvironment,
    log,
  });
  const scheduler = schedulerOf(config, opened, backend, log, parts);
  const operations = operationsOf(config, opened, { scheduler, backend, log }, parts);
  let stopListening: StopListening | undefined;
  let stopRetention: (() => Promise<void>) | undefined;
  let stopLooks: (() => Promise<void>) | undefined;
  return {
    opened,
    log,
    operations,
    async tidyUp() {
      await finishRemovals(operations, (workspace, error) =>
        log.error(
          { err: error, workspace },
          "The files of a deleted run could not be removed; the next start will try again.",
        ),
      );
      await opened.workspaces.clearIncoming();
      crashPoint("incoming-cleared");
      await opened.uploads.forgetOld();
    },
    async begin() {
      stopLooks = lookForOutages(opened, log);
      await scheduler.start();
      stopListening = hearWakeUps(opened.db, operations);
      // Rules that an earlier server of this folder was applying.
      await releaseRules(opened.db, opened.hostId);
      stopRetention = applyRetention(operations, opened.hostId, log);
    },
    async close(stopJobs) {
      await stopListening?.();
      await stopRetention?.();
      await stopLooks?.();
      await scheduler.close({ stopJobs });
      crashPoint("scheduler-closed");
      const jobsLeftRunning = backend.runningJobs();
      await backend.close();
      await rm(opened.data.server, { force: true });
      await opened.close();
      log.info({ jobsLeftRunning }, "server stopped");
      await log.close();
      return { jobsLeftRunning };
    },
  };
}

/** Returns operations for a process that only reads the folder: nothing is started, and no run is driven. */
export function readingOperations(config: Config, opened: OpenedData, log: Log): Operations {
  const backend = openLogsOnly(opened.data.jobs);
  const scheduler = schedulerOf(config, opened, backend, log, PARTS);
  return operationsOf(config, opened, { scheduler, backend, log }, PARTS);
}

function enginesByLanguage({ engines }: RunParts): ReadonlyMap<Language, Engine> {
  return new Map(engines.map(({ engine }) => [engine.language, engine]));
}

function engineHosts({ engines }: RunParts): ReadonlyMap<Language, EngineRuntime> {
  return new Map(engines.map(({ engine, host }) => [engine.language, host]));
}

function schedulerOf(
  config: Config,
  opened: OpenedData,
  backend: Backend,
  log: Log,
  parts: RunParts,
): Scheduler {
  const { db, workspaces } = opened;
  return createScheduler({
    runner: {
      db,
      clock: systemClock,
      engines: engineHosts(parts),
      backend,
      workspaces,
      bootId: readBootId(),
      secrets: openUserSecrets(db, opened.tokenSeal),
      ...(parts.snapshotEveryEvents !== undefined && { snapshotEveryEvents: parts.snapshotEveryEvents }),
    },
    clock: systemClock,
    host: { id: opened.hostId, name: os.hostname() },
    limits: {
      maxRunsAtOnce: config.maxRunsAtOnce,
      maxRunsPerUser: config.maxRunsPerUser,
      capacity: { cores: config.cores, memoryBytes: config.memoryBytes },
    },
    disk: opened.disk,
    requestStop: (runId) => requestStop(db, runId, systemClock.now()),
    log,
  });
}

const OUTAGE_LOOK_INTERVAL_MS = 2000;

/** Checks the disk, and whether an earlier problem has been resolved. */
function lookForOutages({ disk, db }: Pick<OpenedData, "disk" | "db">, log: OutageLog): () => Promise<void> {
  return repeatedly({
    clock: systemClock,
    everyMs: OUTAGE_LOOK_INTERVAL_MS,
    async work() {
      disk.look();
      if (!disk.shortage()?.isFull) log.over("disk");
      if (!log.isUnderWay("database")) return;
      await checkConnection(db);
      log.over("database");
    },
    onFailure: (error) => log.error({ err: error }, "The free disk space could not be read; trying again."),
  });
}

/** Interval between two checks for due retention rules. Rules are counted in days. */
const RETENTION_INTERVAL_MS = 10_000;

function applyRetention(operations: Operations, hostId: string, log: Log): () => Promise<void> {
  return repeatedly({
    clock: operations.clock,
    everyMs: RETENTION_INTERVAL_MS,
    work: createRetention(operations, hostId),
    onFailure: (error) => log.error({ err: error }, "Applying retention rules failed; trying again."),
  });
}

/**
 * Reacts to wake-ups from this server and others of the same database. Operations of this server do not wait for their
 * own wake-up.
 */
function hearWakeUps(db: Connection, { scheduler, watching }: Operations): StopListening {
  return listenForWakeUps(db, {
    hear(wakeUp) {
      if (wakeUp.kind === "run-queued") scheduler.wake();
      else if (wakeUp.kind === "stop-requested") void scheduler.stop(wakeUp.runId, 0);
      watching.hear(wakeUp);
    },
    afterGap() {
      scheduler.wake();
      watching.afterGap();
    },
  });
}

function operationsOf(
  config: Config,
  opened: OpenedData,
  {
    scheduler,
    backend,
    log,
  }: { readonly scheduler: Scheduler; readonly backend: Backend; readonly log: Log },
  parts: RunParts,
): Operations {
  const engines = enginesByLanguage(parts);
  const { readLog: read, logSize: size, remove } = backend;
  const jobLogs = cachingLogTails({ read, size, remove });
  return {
    db: opened.db,
    clock: systemClock,
    random: systemRandom,
    tokenSeal: opened.tokenSeal,
    workspaces: opened.workspaces,
    uploads: opened.uploads,
    git: openGitSource({
      httpHosts: config.gitHttpHosts,
      privateHosts: config.gitPrivateHosts,
      maxBytes: config.gitMaxBytes,
      maxFiles: config.gitMaxFiles,
      timeoutMs: config.gitTimeoutMs,
      tempFolder: opened.data.incoming,
    }),
    bundles: openBundles({ folder: opened.data.incoming, random: systemRandom }),
    scheduler,
    disk: opened.disk,
    jobLogs,
    secrets: openUserSecrets(opened.db, opened.tokenSeal),
    jobStandings: new JobStandings(opened.db),
    graphs: new RunGraphs(opened.db, engineHosts(parts)),
    watching: createWatching({ db: opened.db, clock: systemClock, jobLogs, scheduler, log }),
    engines,
    capabilities: {
      languages: [...engines.keys()],
      computeBackends: COMPUTE_BACKENDS,
      workspaceRoots: [opened.workspaces.root],
    },
    limits: config,
    ...(config.retries > 0 && {
      retries: { most: config.retries, delayMs: config.retryDelayMs, after: config.retryOn },
    }),
  };
}
