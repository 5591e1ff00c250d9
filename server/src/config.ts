import os from "node:os";
import path from "node:path";
import {
  choice,
  databaseAddress,
  duration,
  emailAddress,
  type Environment,
  file,
  flag,
  home,
  hostList,
  secret,
  size,
  someOf,
  variables,
  wholeNumber,
  word,
} from "#setting-kinds";
import {
  type OptionValue,
  readSetting,
  type ReadOf,
  rowOf,
  type Setting,
  setting,
  type SettingRow,
} from "#setting";
import { usableMemoryBytes } from "#usable-memory";

/** Runs per processor. Several, because a run may be waiting for one slow job, for a file, or for a core. */
const RUNS_FOR_EACH_PROCESSOR = 4;

/**
 * Every setting, in one table: the command's option, the environment variable (the same word in capitals after
 * `REPRISE_`), the kind of value, the default and one sentence. The options of `reprise serve`, the `Config` type and
 * `docs/reference/settings.md` are made from it. An option overrides the environment, which overrides the default.
 */
const SETTINGS = {
  host: setting(word("an address or a host name"), {
    option: "--host",
    fallback: () => "127.0.0.1",
    sentence:
      "The address to listen on. Another one than this machine's own needs TLS, or `--allow-insecure-host`.",
  }),
  port: setting(wholeNumber(0, 65_535), {
    option: "--port",
    fallback: () => 7070,
    sentence: "The port to listen on; 0 takes a free one.",
  }),
  dataFolder: setting(file("a folder", "folder"), {
    option: "--data",
    fallback: (env) => path.join(dataHome(env), "reprise"),
    fallbackText: "`$XDG_DATA_HOME/reprise`, else `~/.local/share/reprise`",
    sentence:
      "Where everything lies that the server keeps: database, workspaces, logs, keys. One server at a time.",
  }),
  durability: setting(choice("normal", "full"), {
    option: "--durability",
    fallback: () => "normal" as const,
    sentence:
      "What was acknowledged survives the death of the process (`normal`), or a power cut too (`full`, slower).",
  }),
  database: setting(databaseAddress(), {
    variable: "REPRISE_DATABASE",
    fallback: () => undefined,
    fallbackText: "SQLite, in the data folder",
    sentence:
      "The PostgreSQL database to use instead of SQLite. There is no option for it, because it may hold a password.",
  }),
  adminToken: setting(secret("a token"), {
    variable: "REPRISE_ADMIN_TOKEN",
    fallback: () => undefined,
    fallbackText: "a random one, made at the first start and kept in `admin-token` in the data folder",
    sentence:
      "The administrator's token. There is no option for it, because every user of a machine sees all options.",
  }),
  adminEmail: setting(emailAddress(), {
    option: "--admin-email",
    fallback: () => undefined,
    fallbackText: "the address of before; at the first start `admin@localhost`",
    sentence: "The administrator's e-mail address. A start with another one than before changes it.",
  }),
  sampleRun: setting(flag(), {
    option: "--sample-run",
    fallback: () => true,
    sentence: "At the first start, make and run a small workflow, so that there is something to look at.",
  }),
  allowInsecureHost: setting(flag(), {
    option: "--allow-insecure-host",
    fallback: () => false,
    sentence:
      "Serve plain HTTP on an address that others can reach: for a server behind something that speaks TLS.",
  }),
  tlsCert: setting(file("a PEM file", "file"), {
    option: "--tls-cert",
    fallback: () => undefined,
    fallbackText: "none: plain HTTP",
    sentence:
      "The certificate to serve HTTPS with, and those between it and its root. Goes with `--tls-key`.",
  }),
  tlsKey: setting(file("a PEM file", "file"), {
    option: "--tls-key",
    fallback: () => undefined,
    fallbackText: "none: plain HTTP",
    sentence: "The private key of `--tls-cert`.",
  }),
  logTo: setting(choice("file", "stderr"), {
    option: "--log-to",
    fallback: () => "file" as const,
    sentence:
      "Where log lines (JSON) go: `logs/server.log` in the data folder, or standard error (for systemd, Docker).",
  }),
  logLevel: setting(choice("fatal", "error", "warn", "info", "debug", "trace", "silent"), {
    option: "--log-level",
    fallback: () => "info" as const,
    sentence: "How much is logged. `info` has one line for each request.",
  }),
  minFreeBytes: setting(size(0, 2 ** 50), {
    option: "--min-free",
    fallback: () => undefined,
    fallbackText: "64MiB, or a twentieth of the disk if that is less",
    sentence: "How much of the data folder's disk is kept free: while less is, no job starts.",
  }),
  maxJsonBytes: setting(size(1024, 2 ** 30), {
    option: "--max-json",
    fallback: () => 16 * 2 ** 20,
    fallbackText: "16MiB",
    sentence: "The longest JSON body of a request. Files are not bounded by it.",
  }),
  maxLogBytesInReply: setting(size(1024, 2 ** 28), {
    option: "--max-log-in-reply",
    fallback: () => 16 * 2 ** 20,
    fallbackText: "16MiB",
    sentence:
      "How much of what a run's jobs printed one answer of the logs endpoint holds; past it, the end of each log.",
  }),
  maxJobOutputBytes: setting(size(1024, 2 ** 50), {
    option: "--max-job-output",
    fallback: () => 2 ** 30,
    fallbackText: "1GiB",
    sentence: "How much a job may print; one that prints more is ended, and its run fails with that reason.",
  }),
  jobEnvironment: setting(variables(), {
    option: "--env",
    variable: "REPRISE_JOB_ENV",
    fallback: () => ({}),
    fallbackText: "none: jobs get `PATH` and what the table of a job's environment says",
    sentence:
      "A variable for the environment of every job: `NAME` with the value that it has here, or `NAME=value`. The option is repeatable.",
  }),
  maxStreamsPerUser: setting(wholeNumber(1, 100_000), {
    option: "--max-streams-per-user",
    fallback: () => 500,
    sentence: "How many answers that go on (events, logs that are followed) a user may have open at once.",
  }),
  maxRunsAtOnce: setting(wholeNumber(1, 10_000), {
    option: "--max-runs",
    fallback: () => RUNS_FOR_EACH_PROCESSOR * os.availableParallelism(),
    fallbackText: "four for each processor",
    sentence:
      "How many runs go on at the same time; the others wait in the queue. Their jobs share `--cores`.",
  }),
  maxRunsPerUser: setting(wholeNumber(1, 10_000), {
    option: "--max-runs-per-user",
    fallback: () => 10_000,
    fallbackText: "as many as `--max-runs` allows",
    sentence:
      "How many runs of one user go on at the same time. Places are shared fairly between users in any case.",
  }),
  cores: setting(wholeNumber(1, 4096), {
    option: "--cores",
    fallback: () => os.availableParallelism(),
    fallbackText: "the number of processors",
    sentence:
      "How many processors the jobs of all runs may use together; a job that says nothing counts for one.",
  }),
  memoryBytes: setting(size(2 ** 20, 2 ** 50), {
    option: "--memory",
    fallback: () => usableMemoryBytes(),
    fallbackText: "the memory of the machine, or of the container",
    sentence: "How much memory the jobs of all runs may ask for together (`kubernetes_memory_limit`).",
  }),
  retries: setting(wholeNumber(0, 10), {
    option: "--retries",
    fallback: () => 0,
    sentence:
      "How often a command is tried again whose step says nothing of it (`retries`). A run keeps what holds when it is started.",
  }),
  retryDelayMs: setting(duration(0, 3_600_000), {
    option: "--retry-delay",
    fallback: () => 0,
    fallbackText: "0s",
    sentence: "How long is waited before that; twice as long before each further attempt, at most an hour.",
  }),
  retryOn: setting(
    someOf("reasons", "exited", "time-limit", "output-limit", "output-lost", "lost", "not-started"),
    {
      option: "--retry-on",
      fallback: () => ["lost", "not-started"] as const,
      fallbackText: "`lost,not-started`: the machine's doing, not the command's",
      sentence: "After which ends it is tried again.",
    },
  ),
  gitHttpHosts: setting(hostList(), {
    option: "--git-http-hosts",
    fallback: () => [],
    fallbackText: "none",
    sentence: "Hosts whose Git repositories may be read over plain http, beside https.",
  }),
  gitPrivateHosts: setting(hostList(), {
    option: "--git-private-hosts",
    fallback: () => [],
    fallbackText: "none",
    sentence: "Hosts whose Git repositories may be read although their address is a private or loopback one.",
  }),
  gitMaxBytes: setting(size(1024, 2 ** 40), {
    option: "--git-max-size",
    fallback: () => 256 * 2 ** 20,
    fallbackText: "256MiB",
    sentence: "The largest Git repository that a workflow is created from, on the disk.",
  }),
  gitMaxFiles: setting(wholeNumber(1, 10_000_000), {
    option: "--git-max-files",
    fallback: () => 10_000,
    sentence: "The most files that a workflow is created with from a Git repository.",
  }),
  gitTimeoutMs: setting(duration(100, 600_000), {
    option: "--git-timeout",
    fallback: () => 8000,
    fallbackText: "8s",
    sentence: "How long reading a Git repository may take.",
  }),
};

type SettingName = keyof typeof SETTINGS;

export type Config = {
  readonly [Name in SettingName]:
    | ReturnType<(typeof SETTINGS)[Name]["fallback"]>
    | ReadOf<(typeof SETTINGS)[Name]>;
};

/** Options as a command line gives them. */
export type SettingOptions = Readonly<Record<string, OptionValue>>;

/** Thrown with a sentence for each unusable setting. */
export class SettingError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingError";
  }
}

/**
 * Reads all settings. `options` are keyed by the name of the setting. An empty text is no value, so that `REPRISE_PORT=
 * npm start` works.
 */
export function readConfig(env: Environment, options: SettingOptions = {}): Config {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS as Readonly<Record<string, Setting<unknown, unknown>>>);
  const values = entries.map(([name, one]) => [name, readSetting(one, env, options[name], problems)]);
  const config = Object.fromEntries(values) as Config;
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    problems.push("--tls-cert and --tls-key go together: give both, or none for plain HTTP.");
  }
  if (problems.length > 0) throw new SettingError(problems);
  return config;
}

export function settingRows(): (SettingRow & { readonly name: SettingName })[] {
  const entries = Object.entries(SETTINGS) as [SettingName, Setting<unknown, unknown>][];
  return entries.map(([name, one]) => ({ name, ...rowOf(one) }));
}

/**
 * Returns why this configuration must not be served, or undefined. Anyone can use a token that crosses a network in the
 * clear, so a server that others can reach needs TLS, or an explicit statement that a proxy provides it.
 */
export function openHostProblem(config: Config): string | undefined {
  if (isLoopback(config.host) || config.tlsCert !== undefined || config.allowInsecureHost) return undefined;
  return (
    `Others can reach ${config.host}, and without TLS every token would cross the network in the clear. ` +
    "Give --tls-cert and --tls-key, or --allow-insecure-host if something in front of this server speaks TLS."
  );
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return bare === "localhost" || bare === "::1" || /^127(\.\d{1,3}){3}$/.test(bare);
}

/** Returns the user's data directory. A relative $XDG_DATA_HOME is ignored, as the XDG specification requires. */
function dataHome(env: Environment): string {
  const xdg = env["XDG_DATA_HOME"] ?? "";
  return path.isAbsolute(xdg) ? xdg : path.join(home(env), ".local", "share");
}
