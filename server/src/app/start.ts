import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { buildServer } from "#api/server";
import type { FolderReader, FolderWorker } from "#cli/context";
import type { RunService } from "#cli/run/service/run-service";
import type { UserAdmin } from "#cli/users/user-admin";
import { changedSettings } from "#config/read";
import type { Config } from "#config/settings";
import { issueCode } from "#operations/users/sessions";
import { makeSampleRun } from "#operations/runs/start/make-sample-run";
import { systemClock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { systemRandom } from "#plumbing/ids";
import { createLog } from "#plumbing/log";
import { writeSecretFile } from "#plumbing/secrets/secret-file";
import { byMachineUser, openAudit } from "#app/audit";
import { type NotebookListener, maybeNotebookListener } from "#app/notebooks";
import { localRuns } from "#app/local-runs";
import { userAdmin } from "#app/user-admin";
import { folderReader, folderWorker } from "#app/folder-reader";
import { type OpenedServer, openServer, readingOperations, type Substitutes } from "#app/open-server";
import { maybeOpenDataToRead, openData } from "#app/data-folder";

export interface App {
  /** Address of the server: `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly adminToken: string;
  /** Sentences for the person at the terminal. */
  readonly warnings: readonly string[];
  /** Reopens the log by name after another program has moved the file. */
  reopenLog(): void;
  /** Path of the page that signs a browser in as the administrator: once, within ten minutes. */
  readonly signInPath: string;
  /** Stops the server. Running jobs continue, unless `stopJobs` is set. Returns how many jobs continue. */
  close(options?: { readonly stopJobs?: boolean }): Promise<{ readonly jobsLeftRunning: number }>;
}

/**
 * Starts the server: opens the data folder, creates the administrator, resumes the runs of an earlier server, and
 * listens.
 */
export async function startApp(config: Config, version: string, substitutes: Substitutes = {}): Promise<App> {
  const { mailReport } = config;
  const scheduledReport = mailReport === "never" ? undefined : { interval: mailReport, version };
  const server = await openServer(config, { scheduledReport, ...substitutes });
  const { opened, operations, log } = server;
  const audit = openAudit(opened.data, (sentence) => log.warn({}, sentence));
  let listener: Listening | undefined;
  let notebooks: NotebookListener | undefined;
  try {
    await server.tidyUp();
    // Imported lazily: commands without HTTP start faster.
    const http = await import("#api/server");
    notebooks = await maybeNotebookListener({ operations, log, config });
    listener = http.buildServer({
      operations,
      log,
      audit,
      ...(notebooks && { notebookOrigin: notebooks.origin }),
      config: { ...config, pageFolder: pageFolder(), changedSettings: changedSettings(config) },
      version,
    });
    const url = await listen(listener, config);
    await notebooks?.listen(Number(new URL(url).port));
    crashPoint("listening");
    const record = `${JSON.stringify(await addressRecord(url, config))}\n`;
    await opened.disk.withRoom(() => writeSecretFile(opened.data.server, record));
    await server.start();
    crashPoint("serving");
    const { dataFolder, database } = config;
    log.info({ version, url, dataFolder, database: databaseName(database) }, "server started");
    audit.write(byMachineUser("start-server", { version, ...changedSettings(config) }));
    if (config.sampleRun) await makeSampleRun(operations, opened.admin);
    const { code } = await opened.disk.withRoom(() => issueCode(operations, { userId: opened.admin.id }));
    const signInPath = `/sign-in#${code}`;
    const reopenLog = () => {
      log.reopen();
      audit.reopen();
    };
    return {
      url,
      adminToken: opened.adminToken,
      warnings: server.warnings,
      signInPath,
      reopenLog,
      close: (options) => close(options?.stopJobs ?? false),
    };
  } catch (error) {
    await close(false);
    throw error;
  }

  async function close(stopJobs: boolean): Promise<{ jobsLeftRunning: number }> {
    await notebooks?.close();
    await listener?.close();
    await audit.close();
    return server.close(stopJobs);
  }
}

/**
 * Opens the runs for `reprise run` while no server runs on the data folder: the same runs, without HTTP. They belong to
 * the administrator.
 */
export async function startLocal(config: Config, substitutes: Substitutes = {}): Promise<RunService> {
  const server = await startedHere(config, substitutes);
  const runs = localRuns(server.operations, server.opened.admin, () => server.close(false));
  return { ...runs, warnings: server.warnings };
}

async function startedHere(config: Config, substitutes: Substitutes): Promise<OpenedServer> {
  const server = await openServer(config, substitutes);
  try {
    server.expectJobs();
    await server.tidyUp();
    await server.start();
    return server;
  } catch (error) {
    await server.close(false);
    throw error;
  }
}

/** Serves the requests of one command, and carries out its runs, while no server uses the data folder. */
export async function openWorker(config: Config, version: string): Promise<FolderWorker> {
  const server = await startedHere(config, {});
  const { operations, opened, log } = server;
  const { buildServer: build } = await import("#api/server");
  const api = build({ operations, log, config: inProcess(config), version });
  return folderWorker(api, opened.adminToken, async () => void (await server.close(false)));
}

/** An in-process server has an address without TLS, and a host name that every server allows. */
function inProcess(config: Config): Config {
  return { ...config, host: "localhost", tlsCert: undefined, tlsKey: undefined };
}

/**
 * Serves the read-only commands while no server runs on the data folder. The reader makes no changes, so a
 * `reprise run` may use the folder at the same time. Returns undefined if the folder has no runs yet.
 */
export async function openReader(config: Config, version: string): Promise<FolderReader | undefined> {
  const opened = await maybeOpenDataToRead(config);
  if (!opened) return undefined;
  const log = createLog({ level: "error", destination: process.stderr.fd });
  const operations = readingOperations(config, opened, log);
  const { buildServer: build } = await import("#api/server");
  const server = build({ operations, log, config: inProcess(config), version });
  return folderReader(server, opened.adminToken, () => opened.close());
}

/** Opens the data folder for the user commands, while no server runs on it. */
export async function openAdmin(config: Config): Promise<UserAdmin> {
  const { db, tokenSeal, data, close } = await openData(config, { onDatabaseError: () => undefined });
  const audit = openAudit(data, (sentence) => process.stderr.write(`${sentence}\n`));
  return userAdmin({ db, tokenSeal, clock: systemClock, random: systemRandom }, audit, async () => {
    await audit.close();
    await close();
  });
}

/**
 * Describes the running server to commands on the same machine. The fingerprint identifies a certificate with
 * another name.
 */
async function addressRecord(url: string, { tlsCert, database }: Config) {
  const certificate = tlsCert && new X509Certificate(await readFile(tlsCert)).fingerprint256;
  return { url, pid: process.pid, certificate, database: databaseName(database) };
}

/**
 * Returns the folder of the built page: in the package, next to the program; in a checkout, the output of
 * `ui`.
 */
function pageFolder(): string {
  const packed = fileURLToPath(new URL("../page", import.meta.url));
  return existsSync(packed) ? packed : fileURLToPath(new URL("../../../ui/dist", import.meta.url));
}

/** Returns the database's name without user and password, because other programs may read the record. */
function databaseName(address: string | undefined): string {
  if (address === undefined) return "SQLite";
  const { host, pathname, searchParams } = new URL(address.replace("@/", "@localhost/"));
  return `PostgreSQL, ${pathname.slice(1)} at ${searchParams.get("host") ?? host}`;
}

type Listening = ReturnType<typeof buildServer>;

async function listen(server: Listening, config: Config): Promise<string> {
  await server.listen({ host: config.host, port: config.port });
  const { port } = server.addresses()[0] as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host.replace(/^\[|\]$/g, "")}]` : config.host;
  return `${config.tlsCert === undefined ? "http" : "https"}://${host}:${port}`;
}
