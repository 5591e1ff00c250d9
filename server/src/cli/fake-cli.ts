import type { BackupReport, CliContext, RunningServer, SettingOptions } from "#cli/context";
import type { SpecificationReport } from "#cli/specification/specification-report";
import type { ImageAdmin, KnownImage } from "#cli/server/images/image-admin";
import type { UserAdmin } from "#cli/users/user-admin";
import { systemClock } from "#plumbing/clock";
import { diskFloor } from "#plumbing/files/disk-space";

/** A context with a fake server and fake users. Records everything printed. */
export interface FakeCli extends CliContext {
  readonly printed: string[];
  readonly errors: string[];
  readonly exits: number[];
  readonly started: SettingOptions[];
  nowMs: number;
  send(signal: NodeJS.Signals): void;
}

/** The report on a specification without faults. */
export const FAULTLESS: SpecificationReport = {
  errors: [],
  warnings: [],
  steps: [],
  graph: { nodes: [], edges: [] },
  firstJobs: [],
};

const FAKE_ENVIRONMENT = { name: "snakemake", title: "Snakemake", version: "9.0.0" } as const;

export function fakeCli(parts: Partial<CliContext> = {}): FakeCli {
  const listeners = new Map<NodeJS.Signals, Set<() => void>>();
  const cli: FakeCli = complete({
    version: "1.2.3",
    nodeVersion: "24.0.0",
    program: ["/usr/bin/node", "--flag=1", "/opt/reprise/bin/reprise.js"],
    settings: [
      {
        name: "port",
        usage: "--port <number>",
        variable: "REPRISE_PORT",
        option: undefined,
        kind: "a word",
        isRepeatable: false,
        fallback: "`7070`",
        sentence: "The port.",
      },
      {
        name: "dataFolder",
        usage: "--data <folder>",
        variable: "REPRISE_DATA",
        option: undefined,
        kind: "a word",
        isRepeatable: false,
        fallback: "none",
        sentence: "Where.",
      },
      {
        name: "sampleRun",
        usage: "--no-sample-run",
        variable: "REPRISE_SAMPLE_RUN",
        option: undefined,
        kind: "a word",
        isRepeatable: false,
        fallback: "`true`",
        sentence: "A.",
      },
      {
        name: "adminToken",
        usage: undefined,
        variable: "REPRISE_ADMIN_TOKEN",
        option: undefined,
        kind: "a word",
        isRepeatable: false,
        fallback: "none",
        sentence: "Hush.",
      },
    ],
    clock: { ...systemClock, now: () => cli.nowMs, elapsedMs: () => cli.nowMs },
    environment: {},
    timeZone: "Europe/Zurich",
    isTerminal: false,
    print: (line) => void cli.printed.push(line),
    printPart: (text) => void cli.printed.push(text),
    printError: (line) => void cli.errors.push(line),
    screen: undefined,
    readInput: async () => "",
    ask: undefined,
    onSignal(signal, listener) {
      listeners.set(signal, (listeners.get(signal) ?? new Set()).add(listener));
      return () => void listeners.get(signal)!.delete(listener);
    },
    exit: (code) => void cli.exits.push(code),
    dataFolder: (options) => String(options["dataFolder"] ?? "/nowhere"),
    sharedFolder: () => undefined,
    reportSettings: () => ({
      path: "/nowhere/reprise.conf",
      isThere: false,
      set: 0,
      hasSecrets: false,
      problems: [],
    }),
    diskFloor: () => diskFloor({}),
    wantsStacks: () => false,
    startServer: async (options) => {
      cli.started.push(options);
      return fakeServer();
    },
    openUsers: async () => fakeUsers(),
    openRuns: async () => undefined,
    openReader: async () => undefined,
    openWorker: async () => undefined,
    isFolderInUse: async () => false,
    checkSpecification: async () => FAULTLESS,
    checkCwl: async () => FAULTLESS,
    describeCwl: async () => ({ inputs: [] }),
    runCwl: async () => ({ exitCode: 0, output: "{}", reason: undefined }),
    changeKey: async () => ({ values: 0 }),
    migrate: async () => ({ database: "SQLite", changes: ["0001-first"] }),
    backUp: async () => FAKE_BACKUP,
    restore: async () => FAKE_BACKUP,
    reportSandbox: async () => ({ name: "none", reason: "bubblewrap is not installed" }),
    reportBackends: async () => [{ name: "Local", computeBackends: ["local", "kubernetes"] }],
    reportGpus: async () => ({ gpus: [], problems: [] }),
    reportContainers: async () => ({ problem: "Neither podman nor docker is installed.", isRequired: false }),
    openImages: async () => fakeImages(),
    sampleWebhook: async (status) => ({
      secret: "whsec_a",
      headers: { "webhook-id": "msg_1" },
      body: `{"type":"run.${status}"}`,
    }),
    reportLanguages: async () => ({ languages: ["serial", "cwl", "yadage"] }),
    reportEnvironments: async () => [FAKE_ENVIRONMENT],
    setUp: async () => ({ ...FAKE_ENVIRONMENT, program: "/data/snakemake", isNew: true }),
    reportLimits: async () => ({ byKernel: [], problem: "this user may not make control groups" }),
    reportNotebooks: async () => ({ isOn: true, allowsImages: false }),
    reportDatabase: async () => ({ database: "SQLite", file: "/nowhere/reprise.sqlite" }),
    printed: [],
    errors: [],
    exits: [],
    started: [],
    nowMs: 0,
    send: (signal) => listeners.get(signal)?.forEach((listener) => listener()),
    ...parts,
  });
  return cli;
}

/** Lets a test fail if it needs a part of the context that is not faked, here or by the test itself. */
function complete(faked: Partial<FakeCli>): FakeCli {
  return new Proxy(faked, {
    get(target, name) {
      if (name in target || typeof name === "symbol") return Reflect.get(target, name) as unknown;
      throw new Error(`The test uses \`${name}\` of the context: give it to \`fakeCli\`.`);
    },
  }) as FakeCli;
}

const FAKE_BACKUP: BackupReport = {
  version: "1.2.3",
  created_at: "2026-11-21T10:00:00.000Z",
  database: "SQLite",
  tables: { users: { rows: 2 }, runs: { rows: 30 } },
  files: { count: 400 },
  left_out: ["workspaces/w/odd"],
};

export function fakeServer(parts: Partial<RunningServer> = {}): RunningServer {
  return {
    url: "http://127.0.0.1:7070",
    signInUrl: "http://127.0.0.1:7070/sign-in#code",
    warnings: [],
    dataFolder: "/data",
    adminTokenFile: "/data/admin-token",
    logFile: "/data/logs/server.log",
    reopenLog: () => undefined,
    close: async () => ({ jobsLeftRunning: 0 }),
    ...parts,
  };
}

const ORDINARY = { isDisabled: false, isWaiting: false, askingProvider: undefined };

function fakeUsers(): UserAdmin {
  const ada = { id: "1d", email: "ada@example.org", isAdmin: false, ...ORDINARY };
  const boss = { id: "2d", email: "admin@localhost", isAdmin: true, ...ORDINARY };
  return {
    add: async (email, token) => ({ id: "3d", email, token: token ?? "made.for.you" }),
    list: async () => [boss, ada, { ...ada, email: "old@example.org", isDisabled: true }],
    tokens: async () => new Map([[ada.id, "one.two.three"]]),
    issueToken: async () => ({ id: ada.id, email: ada.email, token: "new.and.fresh" }),
    disable: async () => ({ ...ada, isDisabled: true }),
    enable: async () => ada,
    answerProvider: async () => ada,
    setAdmin: async (_user, isAdmin) => ({ ...ada, isAdmin }),
    remove: async () => ({ id: ada.id, email: ada.email, runs: 12, stopped: 0 }),
    close: async () => undefined,
  };
}

const FIT: KnownImage = {
  id: "f".repeat(64),
  names: ["localhost/fit:1"],
  digest: `sha256:${"a".repeat(64)}`,
  bytes: 80 << 20,
  lastUsedAtMs: Date.UTC(2026, 10, 21),
  isWanted: false,
};
/** Images of a runtime: a used image, an image needed by a job, and an image that no job has used. */
export const FAKE_IMAGES: readonly KnownImage[] = [
  FIT,
  { ...FIT, id: "e".repeat(64), names: ["docker.io/library/python:3.12"], isWanted: true },
  { ...FIT, id: "d".repeat(64), names: [], lastUsedAtMs: null },
];

export function fakeImages(removed: string[] = []): ImageAdmin {
  return {
    runtime: "podman 4.3.1",
    load: async (_source, name) => [{ ...FIT, names: [name ?? "localhost/fit:1"] }],
    list: async () => FAKE_IMAGES,
    remove: async ({ id }) => void removed.push(id),
    maybeNamed: async (text) => FAKE_IMAGES.find(({ id, names }) => id === text || names.includes(text)),
  };
}

/** Makes the context's clock jump ahead to the next timer. */
export function jumpToTimers(cli: FakeCli): FakeCli {
  const after = (ms: number, callback: () => void) => {
    const immediate = setImmediate(() => {
      cli.nowMs += ms;
      callback();
    });
    return () => clearImmediate(immediate);
  };
  return Object.assign(cli, { clock: { ...cli.clock, after } });
}
