import os from "node:os";
import path from "node:path";
import {
  choice,
  databaseAddress,
  dataHome,
  duration,
  emailAddress,
  file,
  flag,
  period,
  secret,
  size,
  listenAddress,
  listOfChoices,
  webAddress,
  wholeNumber,
  word,
} from "#config/kinds";
import { DATA_SETTINGS } from "#config/data-settings";
import { GIT_SETTINGS } from "#config/git-settings";
import { JOB_SETTINGS } from "#config/job-settings";
import { KUBERNETES_SETTINGS } from "#config/kubernetes-settings";
import { SLURM_SETTINGS } from "#config/slurm-settings";
import { NOTEBOOK_SETTINGS } from "#config/notebook-settings";
import { NOTIFICATION_SETTINGS } from "#config/notification-settings";
import { type ReadOf, setting } from "#config/setting";
import { SIGN_IN_SETTINGS } from "#config/sign-in-settings";
import { usableMemoryBytes } from "#config/usable-memory";
import { DAY_MS } from "#plumbing/clock";
import { OUTSTANDING_DEFAULT, OUTSTANDING_MAX } from "#workflow/job/outstanding";
import {
  RETRIES_MAX,
  RETRY_DELAY_MAX_SECONDS,
  RETRY_REASONS,
  SERVER_RETRY_REASONS,
} from "#workflow/job/retries";

/** Runs per processor. Several, because a run may be waiting for one slow job, for a file, or for a core. */
const RUNS_FOR_EACH_PROCESSOR = 4;

/**
 * Every setting, in one table: the command's option, the environment variable (the same word in capitals after
 * `REPRISE_`), the kind of value, the default and one sentence. The options of `reprise serve`, the `Config` type and
 * `docs/reference/settings.md` are made from it. An option overrides the environment, which overrides the settings file,
 * which overrides the default.
 */
export const SETTINGS = {
  host: setting(word("an address or a host name"), {
    option: "--host",
    fallback: () => "127.0.0.1",
    sentence:
      "The address to listen on. Any address that other machines can reach needs TLS or `--allow-insecure-host`.",
  }),
  port: setting(wholeNumber(0, 65_535), {
    option: "--port",
    fallback: () => 7070,
    sentence: "The port to listen on; 0 picks a free one.",
  }),
  dataFolder: setting(file("a folder", "folder"), {
    option: "--data",
    fallback: (env) => path.join(dataHome(env), "reprise"),
    fallbackText: "`$XDG_DATA_HOME/reprise`, else `~/.local/share/reprise`",
    sentence:
      "The folder for all data of the server: database, workspaces, logs, keys. Only one server at a time can use it.",
  }),
  configFile: setting(file("a file", "file"), {
    option: "--config",
    fallback: () => undefined,
    fallbackText: "`reprise.conf` in the data folder, if it is there",
    sentence:
      "The file with settings, as lines `name = value`: the names of the options without their dashes. " +
      "Options and the environment override it.",
  }),
  sharedFolder: setting(file("a folder", "folder"), {
    option: "--shared",
    fallback: () => undefined,
    fallbackText: "none: the files of runs are in the data folder, which one server uses",
    sentence:
      "A folder that several servers of one PostgreSQL database share: the files of runs, uploads, the records of jobs on " +
      "clusters, and the key. Each server has its own data folder for the rest.",
  }),
  peerAddress: setting(listenAddress(), {
    option: "--peer-address",
    fallback: () => undefined,
    fallbackText: "the address of `--host`, with a free port",
    sentence:
      "The address and the port at which the other servers of the shared folder reach this one, such as `10.0.0.5:7071`. " +
      "Messages between servers are encrypted with the key of the shared folder.",
  }),
  durability: setting(choice("normal", "full"), {
    option: "--durability",
    fallback: () => "normal" as const,
    sentence:
      "Whether acknowledged changes survive a crash of the process (`normal`) or also a power cut (`full`, slower).",
  }),
  database: setting(databaseAddress(), {
    variable: "REPRISE_DATABASE",
    fallback: () => undefined,
    fallbackText: "SQLite, in the data folder",
    sentence:
      "The PostgreSQL database to use instead of SQLite. It has no option, because it may contain a password.",
  }),
  adminToken: setting(secret("a token"), {
    variable: "REPRISE_ADMIN_TOKEN",
    fallback: () => undefined,
    fallbackText: "a random one, created at the first start and stored in `admin-token` in the data folder",
    sentence:
      "The administrator's token. It has no option, because every user of the machine could see it in the list of processes.",
  }),
  adminEmail: setting(emailAddress(), {
    option: "--admin-email",
    fallback: () => undefined,
    fallbackText: "the previous address; `admin@localhost` at the first start",
    sentence: "The administrator's e-mail address. Starting with a different address changes it.",
  }),
  sampleRun: setting(flag(), {
    option: "--sample-run",
    fallback: () => true,
    sentence: "Create and run a small sample workflow at the first start.",
  }),
  allowInsecureHost: setting(flag(), {
    option: "--allow-insecure-host",
    fallback: () => false,
    sentence:
      "Serve plain HTTP on an address that other machines can reach, for a server behind a proxy that speaks TLS.",
  }),
  publicUrl: setting(webAddress(), {
    option: "--public-url",
    fallback: () => undefined,
    fallbackText: "none: the address that the server listens on",
    sentence:
      "The address at which users reach the server through a proxy: `https://reprise.example.org`. A server on loopback then " +
      "serves this host name too, and invitations name the address.",
  }),
  shadowOf: setting(webAddress(), {
    option: "--shadow-of",
    fallback: () => undefined,
    fallbackText: "none",
    sentence:
      "The address of a REANA, or of another server with its API, to which each started run is also sent, with the user's " +
      "oldest token. `reprise shadow` shows what differs when both runs have ended.",
  }),
  reanaUi: setting(flag(), {
    option: "--reana-ui",
    fallback: () => false,
    sentence:
      "Let REANA's web page sign users in over HTTPS, with an e-mail address and an access token. A proxy serves that page and passes `/api` on.",
  }),
  ...SIGN_IN_SETTINGS,
  tlsCert: setting(file("a PEM file", "file"), {
    option: "--tls-cert",
    fallback: () => undefined,
    fallbackText: "none: plain HTTP",
    sentence: "The certificate for HTTPS, with its intermediate certificates. Requires `--tls-key`.",
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
      "The destination of log lines (JSON): `logs/server.log` in the data folder, or standard error (for systemd, Docker).",
  }),
  logLevel: setting(choice("fatal", "error", "warn", "info", "debug", "trace", "silent"), {
    option: "--log-level",
    fallback: () => "info" as const,
    sentence: "The least severe level that is logged. `info` includes one line for each request.",
  }),
  logMaxBytes: setting(size(2 ** 16, 2 ** 40), {
    option: "--log-max-size",
    fallback: () => 64 * 2 ** 20,
    sentence: "The size at which `server.log` becomes `server.log.1` and a new one is started.",
  }),
  logMaxAgeMs: setting(period(), {
    option: "--log-max-age",
    fallback: () => 7 * DAY_MS,
    sentence: "The age at which `server.log` becomes `server.log.1` and a new one is started.",
  }),
  logFilesKept: setting(wholeNumber(0, 1000), {
    option: "--log-keep",
    fallback: () => 9,
    sentence: "The number of older log files that are kept: `server.log.1` is the newest.",
  }),
  metricsFor: setting(choice("admin", "anyone"), {
    option: "--metrics-for",
    fallback: () => "admin" as const,
    sentence:
      "Who may read `/metrics`: the administrator and the holder of `REPRISE_METRICS_TOKEN` (`admin`), or `anyone`, without a token.",
  }),
  metricsToken: setting(secret("a token"), {
    variable: "REPRISE_METRICS_TOKEN",
    fallback: () => undefined,
    sentence:
      "A token that reads `/metrics` and nothing else, for a Prometheus server. It has no option, like every secret.",
  }),
  minFreeBytes: setting(size(0, 2 ** 50), {
    option: "--min-free",
    fallback: () => undefined,
    fallbackText: "64MiB, or 5 % of the disk if that is less",
    sentence:
      "Space to keep free on the data folder's disk. No job starts while less is free, and none in a container while the disk with the images of containers has less free.",
  }),
  maxJsonBytes: setting(size(1024, 2 ** 30), {
    option: "--max-json",
    fallback: () => 16 * 2 ** 20,
    sentence: "The largest JSON body of a request. Uploaded files are not limited by it.",
  }),
  maxLogBytesInReply: setting(size(1024, 2 ** 28), {
    option: "--max-log-in-reply",
    fallback: () => 16 * 2 ** 20,
    sentence:
      "The most job output in one response of the logs endpoint. Of longer output, it has the end of each log.",
  }),
  ...JOB_SETTINGS,
  ...SLURM_SETTINGS,
  ...KUBERNETES_SETTINGS,
  ...NOTEBOOK_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  maxStreamsPerUser: setting(wholeNumber(1, 100_000), {
    option: "--max-streams-per-user",
    fallback: () => 500,
    sentence: "The maximum number of open streams (events, followed logs) per user.",
  }),
  maxRunsAtOnce: setting(wholeNumber(1, 10_000), {
    option: "--max-runs",
    fallback: () => RUNS_FOR_EACH_PROCESSOR * os.availableParallelism(),
    fallbackText: "four per processor",
    sentence:
      "The maximum number of concurrent runs. Further runs are queued. The jobs of all runs share `--cores`.",
  }),
  maxRunsPerUser: setting(wholeNumber(1, 10_000), {
    option: "--max-runs-per-user",
    fallback: () => 10_000,
    fallbackText: "as many as `--max-runs` allows",
    sentence:
      "The maximum number of concurrent runs per user. On a server with several users, a user may also have no more runs " +
      "than places are free under `--max-runs`: half of them alone, and less beside others.",
  }),
  mostOutstanding: setting(wholeNumber(1, OUTSTANDING_MAX), {
    option: "--max-outstanding",
    fallback: () => OUTSTANDING_DEFAULT,
    sentence:
      "The maximum number of jobs per run that are issued and have not ended. Further jobs are issued as these end. A run " +
      "keeps the value from its start.",
  }),
  cores: setting(wholeNumber(1, 4096), {
    option: "--cores",
    fallback: () => os.availableParallelism(),
    fallbackText: "the number of processors",
    sentence:
      "The number of processors that the jobs of all runs share. A job that requests none counts as one.",
  }),
  memoryBytes: setting(size(2 ** 20, 2 ** 50), {
    option: "--memory",
    fallback: () => usableMemoryBytes(),
    fallbackText: "the memory of the machine, or of the container",
    sentence: "The total memory that the jobs of all runs may request (`kubernetes_memory_limit`).",
  }),
  retries: setting(wholeNumber(0, RETRIES_MAX), {
    option: "--retries",
    fallback: () => 0,
    sentence:
      "The default number of retries for steps that do not set `retries`. A run keeps the value from its start.",
  }),
  retryDelayMs: setting(duration(0, RETRY_DELAY_MAX_SECONDS * 1000), {
    option: "--retry-delay",
    fallback: () => 0,
    fallbackText: "0s",
    sentence:
      "The default delay before the first retry. It doubles before each further retry, up to one hour.",
  }),
  retryOn: setting(listOfChoices("reasons", ...RETRY_REASONS), {
    option: "--retry-on",
    fallback: () => SERVER_RETRY_REASONS,
    fallbackText: `\`${SERVER_RETRY_REASONS.join(",")}\`: failures of the machine, not of the command`,
    sentence: "The default reasons for which a failed command is retried.",
  }),
  reuseAcrossRuns: setting(flag(), {
    option: "--reuse-across-runs",
    fallback: () => false,
    sentence:
      "Take over finished jobs of a user's other runs that had the same command, image, environment and inputs, as a restart does. " +
      "Workflows in CWL only. `fresh` switches it off for one run.",
  }),
  quotaCpuMs: setting(period(), {
    option: "--quota-cpu",
    fallback: () => undefined,
    sentence: "The processor time that each user without a quota of their own may use.",
  }),
  quotaDiskBytes: setting(size(1024, 2 ** 50), {
    option: "--quota-disk",
    fallback: () => undefined,
    sentence: "The disk space that the files of each user without a quota of their own may take.",
  }),
  quotaWallMs: setting(period(), {
    option: "--quota-wall",
    fallback: () => undefined,
    sentence:
      "The time that the runs of each user without a quota of their own may take together, from their starts to their ends.",
  }),
  quotaSecret: setting(secret("a secret"), {
    variable: "REPRISE_QUOTA_SECRET",
    fallback: () => undefined,
    fallbackText: "none: only the administrator's token sets quotas",
    sentence: "The secret with which a program sets quotas, in REANA's header `X-Quota-Management-Secret`.",
  }),
  keepRunsMs: setting(period(), {
    option: "--keep-runs",
    fallback: () => undefined,
    fallbackText: "for ever",
    sentence:
      "The time to keep runs after their end, except runs with the tag `keep`. Then they are deleted with their files, as if their users had deleted them.",
  }),
  keepEventsMs: setting(period(), {
    option: "--keep-events",
    fallback: () => undefined,
    fallbackText: "for ever",
    sentence:
      "The time to keep the contents of a run's events and its snapshot after its end. Logs, and what a restart needs, stay.",
  }),
  ...GIT_SETTINGS,
  ...DATA_SETTINGS,
};

export type SettingName = keyof typeof SETTINGS;

export type Config = {
  readonly [Name in SettingName]:
    | ReturnType<(typeof SETTINGS)[Name]["fallback"]>
    | ReadOf<(typeof SETTINGS)[Name]>;
};
