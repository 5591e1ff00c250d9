import { X509Certificate } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { buildServer } from "#api/server";
import type { Backend } from "#backends/backend";
import { readBootId } from "#backends/local/boot-id";
import { openLocalBackend } from "#backends/local/local-backend";
import type { UserAdmin } from "#cli/user-admin";
import { type Config, isLoopback } from "#config";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Operations, TokenSeal } from "#operations/context";
import { finishRemovals } from "#operations/finish-removals";
import { makeAdministrator } from "#operations/make-administrator";
import { makeSampleRun } from "#operations/make-sample-run";
import { systemClock } from "#plumbing/clock";
import { type DataFolder, prepareDataFolder } from "#plumbing/data-folder";
import { systemRandom } from "#plumbing/ids";
import { createLog, type Log } from "#plumbing/log";
import { createSeal, SEAL_KEY_BYTES } from "#plumbing/seal";
import { secretInFile, writeSecretFile } from "#plumbing/secret-file";
import { type EngineHost, hostInProcess } from "#runner/engine-host";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { openGitSource } from "#sources/git-source";
import { type Connection, migrate } from "#store/database";
import { type FolderLock, holdFolderLock } from "#store/dialects/folder-lock";
import { openSqlite } from "#store/dialects/sqlite";
import type { User } from "#store/users";
import { userAdmin } from "#user-admin";
import { requestStop } from "#store/workflows";
import type { Language } from "#workflow/language";
import { openWorkspaces } from "#workspace/workspaces";

export interface App {
  /** `http://127.0.0.1:7070` */
  readonly url: string;
  readonly adminToken: string;
  /** Running jobs go on, unless they are to be stopped; answers how many do. */
  close(options?: { readonly stopJobs?: boolean }): Promise<{ readonly jobsGoOn: number }>;
}

/** The server: opens the data folder, makes the administrator, takes up what an earlier server left, and serves. */
export async function startApp(config: Config, version: string): Promise<App> {
  const opened = await openData(config);
  const log = createLog({
    level: config.logLevel,
    destination: config.logTo === "file" ? opened.data.log : process.stderr.fd,
  });
  const backend = openLocalBackend({
    folder: opened.data.jobs,
    bootId: readBootId(),
    clock: systemClock,
    maxOutputBytes: config.maxJobOutputBytes,
    log,
  });
  const scheduler = schedulerOf(config, opened, backend, log);
  const operations = operationsOf(config, opened, scheduler, backend);
  let server: ReturnType<typeof buildServer> | undefined;
  try {
    await finishRemovals(operations, (workspace, error) =>
      log.error(
        { err: error, workspace },
        "The files of a deleted run could not be removed; the next start tries again.",
      ),
    );
    await opened.workspaces.clearIncoming();
    const listening = buildServer({ operations, log, config, version, isLoopback });
    server = listening;
    const url = await listen(listening, config);
    await writeSecretFile(opened.data.server, `${JSON.stringify(await addressRecord(url, config))}\n`);
    await scheduler.start();
    if (config.sampleRun) await makeSampleRun(operations, opened.admin);
    return { url, adminToken: opened.adminToken, close: (options) => close(options?.stopJobs ?? false) };
  } catch (error) {
    await close(false);
    throw error;
  }

  async function close(stopJobs: boolean): Promise<{ jobsGoOn: number }> {
    await server?.close();
    await scheduler.close({ stopJobs });
    const jobsGoOn = backend.runningJobs();
    await backend.close();
    await rm(opened.data.server, { force: true });
    await opened.close();
    await log.close();
    return { jobsGoOn };
  }
}

/** What an administrator does with users on the data folder itself, while no server runs on it. */
export async function openAdmin(config: Config): Promise<UserAdmin> {
  const { db, tokenSeal, close } = await openData(config);
  return userAdmin({ db, tokenSeal, clock: systemClock, random: systemRandom }, close);
}

interface OpenedData {
  readonly data: DataFolder;
  readonly db: Connection;
  readonly hostId: string;
  readonly tokenSeal: TokenSeal;
  readonly workspaces: ReturnType<typeof openWorkspaces>;
  readonly admin: User;
  readonly adminToken: string;
  close(): Promise<void>;
}

/** The data folder under its lock, with an administrator in it. */
async function openData(config: Config): Promise<OpenedData> {
  const data = await prepareDataFolder(config.dataFolder);
  const lock = holdFolderLock(data.lock);
  const db = openSqlite(data.database, config.durability);
  const close = () => closeData(db, lock);
  try {
    await migrate(db);
    const hostId = await secretInFile(data.hostId, () => systemRandom.uuid());
    const makeKey = () => systemRandom.bytes(SEAL_KEY_BYTES).toString("base64");
    const tokenSeal = createSeal(
      Buffer.from(await secretInFile(data.secretKey, makeKey), "base64"),
      systemRandom,
    );
    const wanted = { email: config.adminEmail, token: config.adminToken };
    const context = { db, tokenSeal, clock: systemClock, random: systemRandom };
    const { admin, token } = await makeAdministrator(context, wanted);
    await writeSecretFile(data.adminToken, `${token}\n`);
    const workspaces = openWorkspaces({
      folder: data.workspaces,
      incomingFolder: data.incoming,
      fsync: config.durability === "full",
      random: systemRandom,
    });
    return { data, db, hostId, tokenSeal, workspaces, admin, adminToken: token, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeData(db: Connection, lock: FolderLock): Promise<void> {
  await db.destroy();
  lock.release();
}

/** A step of an analysis made for REANA may ask for Kubernetes, REANA's default: it runs here all the same. */
const COMPUTE_BACKENDS = ["local", "kubernetes"];

const ENGINES: readonly Engine[] = [serialEngine];

function enginesByLanguage(): ReadonlyMap<Language, Engine> {
  return new Map(ENGINES.map((engine) => [engine.language, engine]));
}

function engineHosts(): ReadonlyMap<Language, EngineHost> {
  return new Map(ENGINES.map((engine) => [engine.language, hostInProcess(engine)]));
}

function schedulerOf(config: Config, opened: OpenedData, backend: Backend, log: Log): Scheduler {
  const { db, workspaces } = opened;
  return createScheduler({
    runner: {
      db,
      clock: systemClock,
      engines: engineHosts(),
      backend,
      workspaces,
      bootId: readBootId(),
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

function operationsOf(
  config: Config,
  opened: OpenedData,
  scheduler: Scheduler,
  backend: Backend,
): Operations {
  const engines = enginesByLanguage();
  return {
    db: opened.db,
    clock: systemClock,
    random: systemRandom,
    tokenSeal: opened.tokenSeal,
    workspaces: opened.workspaces,
    git: openGitSource({
      httpHosts: config.gitHttpHosts,
      privateHosts: config.gitPrivateHosts,
      maxBytes: config.gitMaxBytes,
      maxFiles: config.gitMaxFiles,
      timeoutMs: config.gitTimeoutMs,
      tempFolder: opened.data.incoming,
    }),
    scheduler,
    jobLogs: { read: backend.readLog, remove: backend.remove },
    engines,
    capabilities: { languages: [...engines.keys()], computeBackends: COMPUTE_BACKENDS },
    limits: { maxLogBytesInReply: config.maxLogBytesInReply },
  };
}

/** For the commands beside this server. A certificate for another name than theirs is known by its fingerprint. */
async function addressRecord(url: string, { tlsCert }: Config) {
  const certificate = tlsCert && new X509Certificate(await readFile(tlsCert)).fingerprint256;
  return { url, pid: process.pid, certificate };
}

async function listen(server: ReturnType<typeof buildServer>, config: Config): Promise<string> {
  await server.listen({ host: config.host, port: config.port });
  const { port } = server.addresses()[0] as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host.replace(/^\[|\]$/g, "")}]` : config.host;
  return `${config.tlsCert === undefined ? "http" : "https"}://${host}:${port}`;
}
