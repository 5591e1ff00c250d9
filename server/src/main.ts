import { existsSync, readFileSync, realpathSync } from "node:fs";
import os from "node:os";
import { text } from "node:stream/consumers";
import type { CliContext, RunningServer, SettingOptions } from "#cli/context";
import { runCli } from "#cli/program";
import { patientWriter } from "#cli/terminal/patient-writer";
import type { RunService } from "#cli/run/service/run-service";
import type { UserAdmin } from "#cli/users/user-admin";
import { openHostProblem } from "#config/open-host";
import { readConfig, reportSettings, SettingError, settingRows } from "#config/read";
import type { Config } from "#config/settings";
import { diskFloor } from "#plumbing/files/disk-space";
import { systemRandom } from "#plumbing/ids";
import { systemClock } from "#plumbing/clock";
import { armCrashPoint } from "#plumbing/crash-points";
import { codeOf, messageOf } from "#plumbing/errors";
import { isHomeless } from "#plumbing/own-user";
import { dataFolderPaths } from "#plumbing/files/data-folder";

/** Reads the arguments and loads only what the command needs: `version` must not wait for a database. */
const packageFile = new URL("../package.json", import.meta.url);

const writeOut = patientWriter(process.stdout);
const writeError = patientWriter(process.stderr);

const cli: CliContext = {
  version: (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version,
  nodeVersion: process.versions.node,
  program: [process.execPath, ...process.execArgv, realpathSync(process.argv[1]!)],
  settings: settingRows(),
  clock: systemClock,
  environment: process.env,
  // Only when a command shows a time: the first use of Intl takes 11 ms of processor time.
  get timeZone() {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  },
  isTerminal: process.stdout.isTTY,
  print: (line) => writeOut(`${line}\n`),
  printPart: writeOut,
  printError: (line) => writeError(`${line}\n`),
  screen: process.stderr.isTTY
    ? { columns: () => process.stderr.columns || 80, write: (part) => void process.stderr.write(part) }
    : undefined,
  readInput: () => text(process.stdin),
  ask: process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined,
  onSignal(signal, listener) {
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  },
  exit: (code) => process.exit(code),
  dataFolder: (options) => configOf(options).dataFolder,
  sharedFolder: (options) => configOf(options).sharedFolder,
  reportSettings: (options) => reportSettings(process.env, options, maybeReadText),
  diskFloor: (options) => diskFloor(configOf(options)),
  wantsStacks: (options) =>
    ["debug", "trace"].includes(String(options["logLevel"] ?? process.env["REPRISE_LOG_LEVEL"])),
  startServer,
  openUsers,
  openRuns,
  openReader: async (options) => (await import("#app/start")).openReader(configOf(options), cli.version),
  openWorker: async (options) => {
    const { openWorker } = await import("#app/start");
    return unlessInUse(() => openWorker(configOf(options), cli.version));
  },
  isFolderInUse,
  checkSpecification: async (document, place, server, options = {}) =>
    (await import("#app/check-specification")).reportOn(document, place, server, {
      dataFolder: configWithoutFolder(options).dataFolder,
    }),
  checkCwl: async (named) => (await import("#app/cwl/check-cwl")).checkCwl(named),
  describeCwl: async (named) => (await import("#app/cwl/describe-cwl")).describeCwl(named),
  runCwl: async (options, call) =>
    (await import("#app/cwl/run-cwl-call")).runCwlCall(configWithoutFolder(options), call),
  migrate: async (options) => (await import("#app/database")).migrateDatabase(configOf(options)),
  changeKey: async (options) => (await import("#app/secret-key")).changeSecretKey(configOf(options)),
  backUp: async (options, target) =>
    (await import("#app/backup")).backUp(configOf(options), cli.version, target),
  restore: async (options, source) =>
    (await import("#app/backup")).restore(configOf(options), cli.version, source),
  importReana: async (options, call) =>
    (await import("#app/import-reana")).importFromReana(configOf(options), call),
  reportDatabase: async (options) => (await import("#app/database")).reportDatabase(configOf(options)),
  reportBackends: async (options) => (await import("#app/jobs/backends")).reportBackends(configOf(options)),
  reportContainers: async (options) =>
    (await import("#app/jobs/containers")).reportContainers(configOf(options)),
  reportGpus: async (options) => (await import("#app/jobs/gpus")).reportGpus(configOf(options)),
  openImages: async (options) => (await import("#app/jobs/image-admin")).openImages(configOf(options)),
  async sampleWebhook(status) {
    const { webhookSample } = await import("#notifications/sample");
    return webhookSample({ clock: systemClock, random: systemRandom }, status);
  },
  reportLanguages: async (options) => (await import("#app/languages")).reportLanguages(configOf(options)),
  reportEnvironments: async (options) =>
    (await import("#app/environments/environments")).reportEnvironments(configOf(options).dataFolder),
  setUp: async (options, name, tell) =>
    (await import("#app/environments/set-up")).setUp(configOf(options).dataFolder, name, tell),
  reportLimits: async (options) => (await import("#app/jobs/limits")).reportLimits(configOf(options)),
  reportNotebooks: async (options) => (await import("#app/notebooks")).reportNotebooks(configOf(options)),
  reportSandbox: async (options) => (await import("#app/jobs/sandbox")).reportSandbox(configOf(options)),
};

/** Reads the settings from options, environment and file. */
function configOf(options: SettingOptions): Config {
  return readConfig(process.env, options, maybeReadText);
}

/**
 * Reads the settings for a command that needs no data folder. If the user has no home folder, there are no settings in
 * the data folder and no environments: the null device is a path below which nothing exists.
 */
function configWithoutFolder(options: SettingOptions): Config {
  try {
    return configOf(options);
  } catch (error) {
    if (!isHomeless(process.env)) throw error;
    return configOf({ ...options, dataFolder: os.devNull });
  }
}

function maybeReadText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw new SettingError([`The settings file ${file} cannot be read: ${messageOf(error)}.`]);
  }
}

/** Asks at the terminal. The end of the input, or Ctrl-C, counts as an empty answer. */
async function askAtTerminal(question: string): Promise<string> {
  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve) => {
      terminal.once("close", () => resolve(""));
      terminal.question(question, resolve);
    });
  } finally {
    terminal.close();
  }
}

async function startServer(options: SettingOptions): Promise<RunningServer> {
  const config = configOf(options);
  const problem = openHostProblem(config);
  if (problem !== undefined) throw new SettingError([problem]);
  if (config.tlsCert !== undefined) (await import("#app/tls-files")).checkTlsFiles(config);
  const { startApp } = await import("#app/start");
  const app = await startApp(config, cli.version);
  const paths = dataFolderPaths(config.dataFolder);
  return {
    url: app.url,
    signInUrl: (config.publicUrl?.replace(/\/+$/, "") ?? app.url) + app.signInPath,
    warnings: app.warnings,
    dataFolder: config.dataFolder,
    adminTokenFile: paths.adminToken,
    logFile: config.logTo === "file" ? paths.log : undefined,
    reopenLog: () => app.reopenLog(),
    close: (how) => app.close(how),
  };
}

/**
 * Tests the lock, which the kernel frees however a server ends. An address file can be left behind by a killed server.
 */
async function isFolderInUse(options: SettingOptions): Promise<boolean> {
  const { lock } = dataFolderPaths(configOf(options).dataFolder);
  if (!existsSync(lock)) return false;
  const { FolderInUseError, holdFolderLock } = await import("#store/dialects/folder-lock");
  try {
    holdFolderLock(lock).release();
    return false;
  } catch (error) {
    if (error instanceof FolderInUseError) return true;
    throw error;
  }
}

async function openUsers(options: SettingOptions): Promise<UserAdmin | undefined> {
  const config = configOf(options);
  const { openAdmin } = await import("#app/start");
  return unlessInUse(() => openAdmin(config));
}

async function openRuns(options: SettingOptions): Promise<RunService | undefined> {
  const config = configOf(options);
  const { startLocal } = await import("#app/start");
  return unlessInUse(() => startLocal(config));
}

/** Returns undefined if another process holds the data folder. */
async function unlessInUse<Opened>(open: () => Promise<Opened>): Promise<Opened | undefined> {
  const { FolderInUseError } = await import("#store/dialects/folder-lock");
  try {
    return await open();
  } catch (error) {
    if (error instanceof FolderInUseError) return undefined;
    throw error;
  }
}

let hasLostOutput = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    // A reader may close our output early (`npm start | head -1`), which is no reason for a server to end.
    if (codeOf(error) === "EPIPE" || hasLostOutput) return;
    hasLostOutput = true;
    if (stream === process.stdout)
      writeError(`error: The output could not be written: ${messageOf(error)}\n`);
  });
}

armCrashPoint(process.env);
// Exit without the teardown of Node, during which a signal that npm forwards late would kill the process.
// Without a code, what this file waits for has never come: 13 is Node's own code for that.
process.once("beforeExit", () => {
  const code = process.exitCode ?? 13;
  process.exit(code === 0 && hasLostOutput ? 1 : code);
});
process.exitCode = await runCli(process.argv.slice(2), cli);
