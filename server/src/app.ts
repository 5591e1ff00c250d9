import { X509Certificate } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import type { buildServer } from "#api/server";
import type { Backend } from "#backends/backend";
import { readBootId } from "#backends/local/boot-id";
import { openLocalBackend } from "#backends/local/local-backend";
import type { RunService } from "#cli/run/run-service";
import type { UserAdmin } from "#cli/user-admin";
import { COMPUTE_BACKENDS } from "#check-specification";
import { type Config, isLoopback } from "#config";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Operations, TokenSeal } from "#operations/context";
import { finishRemovals } from "#operations/finish-removals";
import { makeAdministrator } from "#operations/make-administrator";
import { makeSampleRun } from "#operations/make-sample-run";
import { keepingLogEnds } from "#operations/kept-log-ends";
import { JobStandings } from "#operations/watching/job-standings";
import { RunGraphs } from "#operations/watching/run-graphs";
import { applyDueRetention } from "#operations/retention";
import { createWatching } from "#operations/watching/watching";
import { systemClock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { type DataFolder, prepareDataFolder } from "#plumbing/data-folder";
import { systemRandom } from "#plumbing/ids";
import { createLog, type Log } from "#plumbing/log";
import { createSeal, SEAL_KEY_BYTES } from "#plumbing/seal";
import { secretInFile, writeSecretFile } from "#plumbing/secret-file";
import { type EngineHost, hostInProcess } from "#runner/engine-host";
import { openUserSecrets } from "#runner/user-secrets";
import { localRuns } from "#local-runs";
import { openDatabase } from "#open-database";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { repeatedly } from "#scheduler/repeatedly";
import { openBundles } from "#sources/bundle";
import { openGitSource } from "#sources/git-source";
import type { Connection } from "#store/database";
import { type FolderLock, holdFolderLock } from "#store/dialects/folder-lock";
import { releaseRules } from "#store/retention";
import type { User } from "#store/users";
import { listen as listenForWakeUps, type StopListening } from "#store/wake-ups";
import { userAdmin } from "#user-admin";
import { requestStop } from "#store/workflows";
import type { Language } from "#workflow/language";
import { openUploads, type Uploads } from "#workspace/uploads";
import { openWorkspaces } from "#workspace/workspaces";

export interface App {
  /** `http://127.0.0.1:7070` */
  readonly url: string;
  readonly adminToken: string;
  /** Running jobs go on, unless they are to be stopped; answers how many do. */
  close(options?: { readonly stopJobs?: boolean }): Promise<{ readonly jobsGoOn: number }>;
}

/** The server: opens the data folder, makes the administrator, takes up what an earlier server left, and serves. */
export async function startApp(config: Config, version: string, parts: RunParts = PARTS): Promise<App> {
  const house = await openHouse(config, parts);
  const { opened, operations, log } = house;
  let server: Listening | undefined;
  try {
    await house.tidyUp();
    // Loaded here, because what runs without HTTP must not wait for it.
    const http = await import("#api/server");
    const listening = http.buildServer({ operations, log, config, version, isLoopback });
    server = listening;
    const url = await listen(listening, config);
    crashPoint("listening");
    await writeSecretFile(opened.data.server, `${JSON.stringify(await addressRecord(url, config))}\n`);
    await house.begin();
    crashPoint("serving");
    if (config.sampleRun) await makeSampleRun(operations, opened.admin);
    return { url, adminToken: opened.adminToken, close: (options) => close(options?.stopJobs ?? false) };
  } catch (error) {
    await close(false);
    throw error;
  }

  async function close(stopJobs: boolean): Promise<{ jobsGoOn: number }> {
    await server?.close();
    return house.close(stopJobs);
  }
}

/** What `reprise run` uses while no server runs on the data folder: the same runs, without HTTP. They are the administrator's. */
export async function startLocal(config: Config, parts: RunParts = PARTS): Promise<RunService> {
  const house = await openHouse(config, parts);
  try {
    await house.tidyUp();
    await house.begin();
  } catch (error) {
    await house.close(false);
    throw error;
  }
  return localRuns(house.operations, house.opened.admin, () => house.close(false));
}

/** Everything behind the API. */
interface House {
  readonly opened: OpenedData;
  readonly log: Log;
  readonly operations: Operations;
  /** Away with what an earlier server left half done. */
  tidyUp(): Promise<void>;
  /** From now on runs go on: those that an earlier server left, and new ones. */
  begin(): Promise<void>;
  close(stopJobs: boolean): Promise<{ jobsGoOn: number }>;
}

async function openHouse(config: Config, parts: RunParts): Promise<House> {
  const troubles: Troubles = { tell: () => undefined };
  const opened = await openData(config, troubles);
  const log = createLog({
    level: config.logLevel,
    destination: config.logTo === "file" ? opened.data.log : process.stderr.fd,
  });
  troubles.tell = (error, message) => log.warn({ err: error }, message);
  const backend = openLocalBackend({
    folder: opened.data.jobs,
    hostId: opened.hostId,
    bootId: readBootId(),
    clock: systemClock,
    maxOutputBytes: config.maxJobOutputBytes,
    log,
  });
  const scheduler = schedulerOf(config, opened, backend, log, parts);
  const operations = operationsOf(config, opened, { scheduler, backend, log }, parts);
  let stopListening: StopListening | undefined;
  let stopRetention: (() => Promise<void>) | undefined;
  return {
    opened,
    log,
    operations,
    async tidyUp() {
      await finishRemovals(operations, (workspace, error) =>
        log.error(
          { err: error, workspace },
          "The files of a deleted run could not be removed; the next start tries again.",
        ),
      );
      await opened.workspaces.clearIncoming();
      crashPoint("incoming-cleared");
      await opened.uploads.forgetOld();
    },
    async begin() {
      await scheduler.start();
      stopListening = hearWakeUps(opened.db, operations);
      // Those that an earlier server of this folder was at.
      await releaseRules(opened.db, opened.hostId);
      stopRetention = applyRetention(operations, opened.hostId, log);
    },
    async close(stopJobs) {
      await stopListening?.();
      await stopRetention?.();
      await scheduler.close({ stopJobs });
      crashPoint("scheduler-closed");
      const jobsGoOn = backend.runningJobs();
      await backend.close();
      await rm(opened.data.server, { force: true });
      await opened.close();
      await log.close();
      return { jobsGoOn };
    },
  };
}

/** What an administrator does with users on the data folder itself, while no server runs on it. */
export async function openAdmin(config: Config): Promise<UserAdmin> {
  const { db, tokenSeal, close } = await openData(config, { tell: () => undefined });
  return userAdmin({ db, tokenSeal, clock: systemClock, random: systemRandom }, close);
}

interface OpenedData {
  readonly data: DataFolder;
  readonly db: Connection;
  readonly hostId: string;
  readonly tokenSeal: TokenSeal;
  readonly workspaces: ReturnType<typeof openWorkspaces>;
  readonly uploads: Uploads;
  readonly admin: User;
  readonly adminToken: string;
  close(): Promise<void>;
}

/** Where it is told what befalls the database while nobody waits for it. The log lies in the folder that is opened first. */
interface Troubles {
  tell(error: unknown, message: string): void;
}

/** The data folder under its lock, and the database with an administrator in it. */
async function openData(config: Config, troubles: Troubles): Promise<OpenedData> {
  const data = await prepareDataFolder(config.dataFolder);
  crashPoint("data-folder-made");
  const lock = holdFolderLock(data.lock);
  // The address of a server that was killed: it must not be taken for ours while we hold the folder.
  await rm(data.server, { force: true });
  const db = await openDatabase(config, data, (error, message) => troubles.tell(error, message)).catch(
    (error: unknown) => {
      lock.release();
      throw error;
    },
  );
  const close = () => closeData(db, lock);
  try {
    const hostId = await secretInFile(data.hostId, () => systemRandom.uuid());
    const makeKey = () => systemRandom.bytes(SEAL_KEY_BYTES).toString("base64");
    const tokenSeal = createSeal(
      Buffer.from(await secretInFile(data.secretKey, makeKey), "base64"),
      systemRandom,
    );
    const wanted = { email: config.adminEmail, token: config.adminToken };
    const context = { db, tokenSeal, clock: systemClock, random: systemRandom };
    const { admin, token } = await makeAdministrator(context, wanted);
    crashPoint("administrator-made");
    await writeSecretFile(data.adminToken, `${token}\n`);
    const workspaces = openWorkspaces({
      folder: data.workspaces,
      incomingFolder: data.incoming,
      fsync: config.durability === "full",
      random: systemRandom,
    });
    const uploads = openUploads({
      folder: data.uploads,
      clock: systemClock,
      fsync: config.durability === "full",
    });
    return { data, db, hostId, tokenSeal, workspaces, uploads, admin, adminToken: token, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeData(db: Connection, lock: FolderLock): Promise<void> {
  await db.destroy();
  lock.release();
}

/** What runs are made of; a test may put others in their place. */
export interface RunParts {
  readonly engines: readonly { readonly engine: Engine; readonly host: EngineHost }[];
  readonly snapshotEveryEvents?: number;
}

const PARTS: RunParts = { engines: [{ engine: serialEngine, host: hostInProcess(serialEngine) }] };

function enginesByLanguage({ engines }: RunParts): ReadonlyMap<Language, Engine> {
  return new Map(engines.map(({ engine }) => [engine.language, engine]));
}

function engineHosts({ engines }: RunParts): ReadonlyMap<Language, EngineHost> {
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
    requestStop: (workflowId) => requestStop(db, workflowId, systemClock.now()),
    log,
  });
}

/** A rule is a matter of days. */
const RETENTION_INTERVAL_MS = 10_000;

function applyRetention(operations: Operations, hostId: string, log: Log): () => Promise<void> {
  return repeatedly({
    clock: operations.clock,
    everyMs: RETENTION_INTERVAL_MS,
    work: () => applyDueRetention(operations, hostId),
    onFailure: (error) => log.error({ err: error }, "Applying retention rules failed; it is tried again."),
  });
}

/** What is done on this server and on others of the same database. One's own operations do not wait to hear of themselves. */
function hearWakeUps(db: Connection, { scheduler, watching }: Operations): StopListening {
  return listenForWakeUps(db, {
    hear(wakeUp) {
      if (wakeUp.kind === "run-queued") scheduler.wake();
      else if (wakeUp.kind === "stop-requested") void scheduler.stop(wakeUp.workflowId, 0);
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
  const jobLogs = keepingLogEnds({ read, size, remove });
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
  };
}

/** For the commands beside this server. A certificate for another name than theirs is known by its fingerprint. */
async function addressRecord(url: string, { tlsCert }: Config) {
  const certificate = tlsCert && new X509Certificate(await readFile(tlsCert)).fingerprint256;
  return { url, pid: process.pid, certificate };
}

type Listening = ReturnType<typeof buildServer>;

async function listen(server: Listening, config: Config): Promise<string> {
  await server.listen({ host: config.host, port: config.port });
  const { port } = server.addresses()[0] as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host.replace(/^\[|\]$/g, "")}]` : config.host;
  return `${config.tlsCert === undefined ? "http" : "https"}://${host}:${port}`;
}
