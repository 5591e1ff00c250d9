import type { ImageAdmin } from "#cli/server/images/image-admin";
import type { RunService } from "#cli/run/service/run-service";
import type {
  NamedServer,
  SpecificationPlace,
  SpecificationReport,
} from "#cli/specification/specification-report";
import type { UserAdmin } from "#cli/users/user-admin";
import type { Clock } from "#plumbing/clock";
import type { DiskFloor } from "#plumbing/files/disk-space";
import type {
  BackendReport,
  DatabaseReport,
  ContainersReport,
  GpusReport,
  EnvironmentName,
  EnvironmentReport,
  LanguagesReport,
  LimitsReport,
  NotebooksReport,
  ReanaImportReport,
  SandboxReport,
  SettingOptions,
  SettingRow,
  SettingsReport,
  WebhookSample,
} from "#workflow/reports";
import type { ReportedStatus } from "#workflow/people/notification";

export type { ContainersReport, DatabaseReport, SandboxReport, SettingOptions, SettingRow, SettingsReport };

/**
 * The environment of the commands, injected by `main.ts`: the commands import only `workflow` and `plumbing`, and only
 * what the current command uses is loaded.
 */
export interface CliContext {
  readonly version: string;
  readonly nodeVersion: string;
  /** The command line of this program: Node, its flags, and the file. */
  readonly program: readonly string[];
  readonly settings: readonly SettingRow[];
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time zone for printed times. */
  readonly timeZone: string;
  /** Prints a line to standard output, which carries results only. */
  print(line: string): void;
  /** Prints text to standard output without adding a newline. */
  printPart(text: string): void;
  /** Prints a line to standard error, for everything that is not a result. */
  printError(line: string): void;
  /** True if standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Standard error if it is a terminal, for redrawn lines. */
  readonly screen: Screen | undefined;
  readInput(): Promise<string>;
  /** Asks the person at the terminal and returns the line that was typed. Absent if the input is not a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Returns a function that removes the listener. */
  onSignal(signal: NodeJS.Signals, listener: () => void): () => void;
  exit(code: number): void;
  dataFolder(options: SettingOptions): string;
  /** Returns the folder that several servers share. Undefined if the settings name none. */
  sharedFolder(options: SettingOptions): string | undefined;
  reportSettings(options: SettingOptions): SettingsReport;
  /** Returns the space to keep free on a disk. */
  diskFloor(options: SettingOptions): DiskFloor;
  /** Returns whether errors are printed with their stack. */
  wantsStacks(options: SettingOptions): boolean;
  startServer(options: SettingOptions): Promise<RunningServer>;
  /** Opens the users of the data folder without a server. Returns undefined if a live process holds the folder. */
  openUsers(options: SettingOptions): Promise<UserAdmin | undefined>;
  /** Starts runs in this process, without a server. Returns undefined if a live process holds the folder. */
  openRuns(options: SettingOptions): Promise<RunService | undefined>;
  /** Reads the data folder in this process, without a server. Returns undefined if it holds no runs yet. */
  openReader(options: SettingOptions): Promise<FolderReader | undefined>;
  /** Serves requests, and carries out runs, in this process. Returns undefined if a live process holds the folder. */
  openWorker(options: SettingOptions): Promise<FolderWorker | undefined>;
  /** Returns whether a live process uses the data folder. */
  isFolderInUse(options: SettingOptions): Promise<boolean>;
  /** Checks a specification as creating and starting a workflow do. Throws if no workflow can be created from it. */
  checkSpecification(
    document: unknown,
    place?: SpecificationPlace,
    server?: NamedServer,
    options?: SettingOptions,
  ): Promise<SpecificationReport>;
  /** Checks a CWL document, and the inputs of a run if a file with them is named. */
  checkCwl(named: CwlDocumentCall): Promise<SpecificationReport>;
  /** Describes the inputs of a CWL document. Throws if it cannot be read. */
  describeCwl(named: CwlDocumentCall): Promise<CwlDescription>;
  /** Runs a CWL document in this process, with a temporary data folder of its own. */
  runCwl(options: SettingOptions, run: CwlCall): Promise<CwlResult>;
  /** Brings the database's tables up to date. Returns the changes made. */
  migrate(
    options: SettingOptions,
  ): Promise<{ readonly database: string; readonly changes: readonly string[] }>;
  /** Changes the key of the data folder. Returns the number of values encrypted with the new key. */
  changeKey(options: SettingOptions): Promise<{ readonly values: number }>;
  /** Copies the data folder and the database into that folder, in use or not, and reads the copy back. */
  backUp(options: SettingOptions, target: string): Promise<BackupReport>;
  /** Restores a backup into an empty data folder and an empty database. */
  restore(options: SettingOptions, source: string): Promise<BackupReport>;
  /** Takes users, tokens, runs and files of a REANA into the data folder, which no server may be using. */
  importReana(options: SettingOptions, call: ReanaImportCall): Promise<ReanaImportReport>;
  /** Describes a database. Changes nothing, and fails if the database does not answer. */
  reportDatabase(options: SettingOptions): Promise<DatabaseReport>;
  /** Tries the sandbox of a server with these settings. Read-only. */
  reportSandbox(options: SettingOptions): Promise<SandboxReport>;
  /** Returns the backends of a server. The first backend is the default for jobs. */
  reportBackends(options: SettingOptions): Promise<readonly BackendReport[]>;
  /** Tries the container runtime of a server with these settings. Read-only. */
  reportContainers(options: SettingOptions): Promise<ContainersReport>;
  /** Looks for the GPUs of a server with these settings. Read-only. */
  reportGpus(options: SettingOptions): Promise<GpusReport>;
  /** Opens the images of the container runtime. Throws if no runtime works. */
  openImages(options: SettingOptions): Promise<ImageAdmin>;
  /** Makes a signed sample message for a webhook, without sending the message. */
  sampleWebhook(status: ReportedStatus): Promise<WebhookSample>;
  /** Lists the workflow languages of a server with these settings. Read-only. */
  reportLanguages(options: SettingOptions): Promise<LanguagesReport>;
  /** Lists the Python environments available for the data folder. Read-only. */
  reportEnvironments(options: SettingOptions): Promise<readonly EnvironmentReport[]>;
  /** Makes a Python environment in the data folder, unless it exists, and reports pip's output. */
  setUp(
    options: SettingOptions,
    name: EnvironmentName,
    tell: (line: string) => void,
  ): Promise<EnvironmentReport & { readonly isNew: boolean }>;
  /** Describes the job limits of a server with these settings. Read-only. */
  reportLimits(options: SettingOptions): Promise<LimitsReport>;
  /** Describes the notebooks of a server with these settings. Read-only. */
  reportNotebooks(options: SettingOptions): Promise<NotebooksReport>;
}

/** A CWL document, perhaps with the name of a process in it (`main.cwl#align`), and the file with its inputs. */
export interface CwlDocumentCall {
  readonly document: string;
  readonly inputFile: string | undefined;
  /** The file with overrides of requirements. */
  readonly overrides?: string | undefined;
  /** The inputs themselves, if `inputFile` is `-`. */
  readonly inputText?: CwlInputText;
}

/** Inputs from standard input, and the base folder for paths in the inputs. */
export interface CwlInputText {
  readonly text: string;
  readonly folder: string;
}

/** Inputs of a CWL document, as `--help` and `--make-template` print them. */
export interface CwlDescription {
  readonly doc?: string;
  readonly inputs: readonly CwlInput[];
}

export interface CwlInput {
  readonly name: string;
  /** The type in words: `File[]`. */
  readonly type: string;
  readonly isOptional: boolean;
  readonly doc?: string;
  readonly default?: unknown;
  /** A value of the type. */
  readonly example: unknown;
}

/** A call of `cwl-runner`. */
export interface CwlCall extends CwlDocumentCall {
  /** Inputs given as options, as typed. */
  readonly given: readonly string[];
  /** The names of the options of `cwl-runner` that were given: `leave-tmpdir`. */
  readonly options: readonly string[];
  readonly outdir: string;
  /** True if outputs may go through links that lead out of `outdir`. */
  readonly followLinks: boolean;
  /** Folder of relative paths in inputs that were given as options. */
  readonly basedir: string;
  readonly tmpdirPrefix: string | undefined;
  /** Runtime for commands with an image: podman, or "none", which starts the commands on this machine. */
  readonly containers: "podman" | "none";
  /** True if the person asks for Singularity, which is refused if a command names an image. */
  readonly wantsSingularity: boolean;
  /** When images are fetched from a registry. */
  readonly pullImages: "always" | "missing" | "never";
  /** The folder that gets the output of each job as a file. */
  readonly logDir: string | undefined;
  /** Aborting ends the run. The command then removes all files of the run. */
  readonly stop: AbortSignal;
  /**
   * The requested step or output of the workflow, run with all its dependencies. Undefined for the whole
   * workflow.
   */
  readonly target: string | undefined;
  /** The folder in which results are kept for later calls. Undefined if results are not kept. */
  readonly cachedir: string | undefined;
  /** True if independent steps still run after a failure. */
  readonly finishesAfterFailure: boolean;
  /** Environment variables of all jobs. */
  readonly environment: Readonly<Record<string, string>>;
  /** True if the temporary folder is kept. */
  readonly leavesFiles: boolean;
  /** True if the output object has the checksums of files. */
  readonly hasChecksums: boolean;
  /** True if the starts and ends of jobs are not printed. */
  readonly isQuiet: boolean;
  /** True if the output of each job is printed. */
  readonly isVerbose: boolean;
  /** Prints a warning or a line about the progress of the run. */
  readonly tell: (line: string) => void;
}

export interface CwlResult {
  readonly exitCode: number;
  /** The output object, as JSON. After a failure, the object holds the outputs made before the failure. */
  readonly output: string | undefined;
  /** Why the run failed. */
  readonly reason: string | undefined;
}

/** The contents of a backup, from its manifest. */
export interface BackupReport {
  readonly version: string;
  readonly created_at: string;
  readonly database: string;
  readonly tables: Readonly<Partial<Record<"users" | "runs", { readonly rows: number }>>>;
  readonly files: { readonly count: number };
  readonly left_out: readonly string[];
}

/** The request of an import from REANA. */
export interface ReanaImportCall {
  /** Address of REANA's database. */
  readonly database: string;
  /** Folder with REANA's shared volume. Undefined if no files are to be taken. */
  readonly volume: string | undefined;
  /** REANA's key for encrypted columns. */
  readonly secretKey: string | undefined;
  /** Text of the secrets in Kubernetes. Undefined if no secrets are to be taken. */
  readonly secrets: string | undefined;
  /** Reads only workflows that have changed since this time. Default: reads all. */
  readonly sinceMs: number | undefined;
  /** True if nothing is to be changed. */
  readonly isDryRun: boolean;
  readonly onProgress: (workflows: number) => void;
}

/** A data folder used in this process. Answers requests as a server would. */
export interface FolderWorker {
  fetch(request: Request): Promise<Response>;
  readonly adminToken: string;
  close(): Promise<void>;
}

/** A data folder opened for reading in this process. Answers read-only requests. */
export type FolderReader = FolderWorker;

export interface Screen {
  /** Returns the current width. */
  columns(): number;
  write(text: string): void;
}

export interface RunningServer {
  readonly url: string;
  /** Address that signs a browser in as the administrator: once, within ten minutes. */
  readonly signInUrl: string;
  /** Sentences for the person at the terminal. */
  readonly warnings: readonly string[];
  readonly dataFolder: string;
  readonly adminTokenFile: string;
  /** The file for log lines, or undefined for standard error. */
  readonly logFile: string | undefined;
  /** Reopens the log by its name. */
  reopenLog(): void;
  close(options: { readonly stopJobs: boolean }): Promise<{ readonly jobsLeftRunning: number }>;
}
