import type { RunService } from "#cli/run/run-service";
import type { UserAdmin } from "#cli/user-admin";
import type { Clock } from "#plumbing/clock";

/**
 * What the commands need and cannot do themselves. `main.ts` hands it in, so that the commands know no other room, and
 * nothing is loaded that the command at hand does not use.
 */
export interface CliHost {
  readonly version: string;
  readonly nodeVersion: string;
  /** How this program is started: Node, what it is told, and the file. */
  readonly program: readonly string[];
  readonly settings: readonly SettingRow[];
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The zone that times are shown in. */
  readonly timeZone: string;
  /** To standard output, which holds answers alone. */
  print(line: string): void;
  /** The same for text that brings its own ends of lines. */
  printPart(text: string): void;
  /** To standard error: what is not the answer. */
  complain(line: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Where standard error is a terminal: what is drawn there again and again. */
  readonly screen: Screen | undefined;
  readInput(): Promise<string>;
  /** Asks the person at the terminal and returns the line that was typed; absent if nobody sits there. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Answers how to leave off. */
  onSignal(signal: NodeJS.Signals, listener: () => void): () => void;
  exit(code: number): void;
  dataFolder(options: SettingOptions): string;
  /** How much of its disk is kept free, if the administrator says so. */
  minFreeBytes(options: SettingOptions): number | undefined;
  /** Whether faults are told with their stack. */
  wantsStacks(options: SettingOptions): boolean;
  startServer(options: SettingOptions): Promise<RunningServer>;
  /** The users in the data folder, without a server; nothing when a live process holds the folder. */
  openUsers(options: SettingOptions): Promise<UserAdmin | undefined>;
  /** Runs in this process itself, without a server; nothing when a live process holds the folder. */
  openRuns(options: SettingOptions): Promise<RunService | undefined>;
  /** Reads the data folder in this process, without a server; returns nothing if it holds no runs yet. */
  openReader(options: SettingOptions): Promise<FolderReader | undefined>;
  /** Whether a live process uses the data folder. */
  isFolderInUse(options: SettingOptions): Promise<boolean>;
  /** Checks a specification as a creation and a start do. Throws if no workflow can be created of it. */
  checkSpecification(document: unknown): Promise<SpecificationReport>;
  /** Brings the database's tables up to date; answers what it changed. */
  migrate(
    options: SettingOptions,
  ): Promise<{ readonly database: string; readonly changes: readonly string[] }>;
  /** Copies data folder and database, whether a server uses them or not, into that folder, and reads the copy back. */
  backUp(options: SettingOptions, target: string): Promise<BackupReport>;
  /** The way back, into an empty data folder and an empty database. */
  restore(options: SettingOptions, source: string): Promise<BackupReport>;
  /** What there is of a database; changes nothing, and fails when it does not answer. */
  reportDatabase(options: SettingOptions): Promise<DatabaseReport>;
}

/** What a backup holds, as its manifest says. */
export interface BackupReport {
  readonly version: string;
  readonly created_at: string;
  readonly database: string;
  readonly tables: Readonly<Partial<Record<"users" | "workflows", { readonly rows: number }>>>;
  readonly files: { readonly count: number };
  readonly left_out: readonly string[];
}

export type DatabaseReport =
  | { readonly database: "SQLite"; readonly file: string }
  | {
      readonly database: "PostgreSQL";
      readonly version: string;
      readonly missing: readonly string[];
      readonly unknown: readonly string[];
    };

/** A data folder that is read in this process: what a server would say to requests that change nothing. */
export interface FolderReader {
  fetch(request: Request): Promise<Response>;
  readonly adminToken: string;
  close(): Promise<void>;
}

export interface Screen {
  /** As wide as it is now. */
  columns(): number;
  write(text: string): void;
}

export interface RunningServer {
  readonly url: string;
  readonly dataFolder: string;
  readonly adminTokenFile: string;
  /** Where log lines go: a file, or nothing for standard error. */
  readonly logFile: string | undefined;
  close(options: { readonly stopJobs: boolean }): Promise<{ readonly jobsGoOn: number }>;
}

export interface SpecificationReport {
  /** What every start refuses. */
  readonly errors: readonly SpecificationFault[];
  readonly warnings: readonly SpecificationFault[];
  /** The steps of a serial workflow; those of other languages are known to their engines alone. */
  readonly steps: readonly SpecifiedStep[];
}

export interface SpecifiedStep {
  /** Empty if it has none. */
  readonly name: string;
  readonly image: string | null;
  readonly commands: readonly string[];
}

export interface SpecificationFault {
  readonly code: string;
  readonly message: string;
  /** Where in the document. */
  readonly path: string;
}

/** By the name of the setting, as the command line gave them. */
export type SettingOptions = Readonly<Record<string, string | boolean | undefined>>;

/** One row of the table of settings, in words. */
export interface SettingRow {
  readonly name: string;
  readonly variable: string;
  /** `--port <number>`, `--no-sample-run`. */
  readonly usage: string | undefined;
  readonly fallback: string;
  /** Whether the option may be given several times: each is a line of the value. */
  readonly isRepeatable?: boolean;
  readonly sentence: string;
}
