/** Reports for the commands, which import no room of the server: commands and server share these types. */

/** Value from a command line: a text, or true or false for a flag. */
export type OptionValue = string | boolean | undefined;

/** Options from the command line, keyed by the name of the setting. */
export type SettingOptions = Readonly<Record<string, OptionValue>>;

/** A row of the table of settings, as text. */
export interface SettingRow {
  readonly name: string;
  readonly option: string | undefined;
  readonly variable: string;
  /** Usage such as `--port <number>`. For a flag with default true, the negated form. */
  readonly usage: string | undefined;
  /** Description, for example `a whole number from 0 to 65535`. */
  readonly kind: string;
  readonly fallback: string;
  /** True if the option may be given several times. Each occurrence becomes a line of the value. */
  readonly isRepeatable: boolean;
  readonly sentence: string;
}

/** The settings file of a server, for `reprise doctor`. */
export interface SettingsReport {
  readonly path: string;
  readonly isThere: boolean;
  /** Number of settings in the file. */
  readonly set: number;
  /** True if any value is a token or a password. */
  readonly hasSecrets: boolean;
  /** A sentence for each unusable setting, from any source. */
  readonly problems: readonly string[];
}

/** The database of a server, for `reprise doctor`. */
export type DatabaseReport =
  | { readonly database: "SQLite"; readonly file: string }
  | {
      readonly database: "PostgreSQL";
      readonly version: string;
      /** Size on disk of the whole database. */
      readonly bytes: number;
      /** Changes of the tables that the next start makes. */
      readonly missing: readonly string[];
      /** The reason why this version cannot use the database. */
      readonly refusal?: string;
    };

/** The wall between the jobs of a server and its files, for `reprise doctor`. */
export interface SandboxReport {
  /** `bubblewrap`, or `none`. */
  readonly name: string;
  /** Reason why no sandbox is available, as a part of a sentence: the attempts, and advice. */
  readonly reason?: string;
  /** True if a server with these settings refuses to start without a sandbox. */
  readonly isRefused?: boolean;
}

/** A backend of a server, for `reprise doctor`. */
export interface BackendReport {
  readonly name: string;
  /** The words of `compute_backend` for this backend. */
  readonly computeBackends: readonly string[];
  /** Why the place where its jobs run cannot be reached, as a sentence. Absent if it can. */
  readonly problem?: string | undefined;
}

/** The GPUs of this machine, for `reprise doctor`. */
export interface GpusReport {
  readonly gpus: readonly {
    /** The UUID, or the name of the node. */
    readonly id: string;
    readonly name: string;
    readonly memoryBytes?: number;
    /** False if the settings keep it from jobs. */
    readonly isOffered: boolean;
  }[];
  /** Sentences about devices that no job can have. */
  readonly problems: readonly string[];
}

/** The container runtime of a server, for `reprise doctor`. */
export interface ContainersReport {
  /** `podman 4.3.1, rootless`. Absent if steps run without containers. */
  readonly runtime?: string;
  /** The missing space for steps with an image. Absent if space is sufficient. */
  readonly missing?: string;
  /** The last pull of an image, if it failed. */
  readonly failedPull?: {
    readonly at: string;
    readonly image: string;
    readonly problem?: string | undefined;
  };
  /** Reason why no runtime is available: the attempts, and advice. */
  readonly problem?: string;
  /** True if the administrator requires a runtime: runs wait until the runtime works. */
  readonly isRequired: boolean;
}

/** The workflow languages of a server, for `reprise doctor`. */
export interface LanguagesReport {
  readonly languages: readonly string[];
  /** The program that plans Snakemake workflows. Absent if Snakemake is missing. */
  readonly snakemake?: string;
}

export type EnvironmentName = "snakemake" | "jupyter";

/** A private Python environment made by `reprise setup`. */
export interface EnvironmentReport {
  readonly name: EnvironmentName;
  readonly title: string;
  readonly version: string;
  /** The path of the program. Absent until the environment is set up. */
  readonly program?: string;
}

/** The limits of a server's jobs, for `reprise doctor`. */
export interface LimitsReport {
  /** The version of the control groups. */
  readonly version?: 1 | 2;
  /**
   * The controllers by which the kernel enforces limits: `memory`, `cpu`, `pids`. The keeper measures all
   * other resources.
   */
  readonly byKernel: readonly string[];
  /** The reason why the kernel enforces no limits. */
  readonly problem?: string;
}

/** The notebooks of a server, for `reprise doctor`. */
export interface NotebooksReport {
  /** True if the settings allow notebooks. */
  readonly isOn: boolean;
  /** The JupyterLab of this machine. Absent if JupyterLab is missing. */
  readonly jupyter?: string;
  /** True if a notebook can run in an image that has JupyterLab. */
  readonly allowsImages: boolean;
}

/** Why a run failed, for a person. */
export interface FailureReport {
  /** Failed step and cause: `Step "fit" failed: its command exited with code 3.` */
  readonly sentence: string;
  /** Last lines of the failed job, as recorded with its end. */
  readonly lastLines: readonly string[];
}

/** A signed message about a run that does not exist, for the author of a webhook's receiver. */
export interface WebhookSample {
  /** The key of the signature. */
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** The result of an import from REANA, or of a rehearsal. */
export interface ReanaImportReport {
  /** The migration of REANA's tables, by Alembic's number. */
  readonly revision: string | undefined;
  readonly users: ImportedCount;
  readonly tokens: ImportedCount;
  readonly secrets: ImportedCount;
  readonly runs: ImportedCount;
  /** Workflows of REANA that were read. */
  readonly read: number;
  readonly jobs: number;
  readonly workspaces: { readonly copied: number; readonly files: number; readonly bytes: number };
  /** Projects of GitLab whose hooks have started workflows of the user. */
  readonly projects: readonly { readonly project: string; readonly email: string }[];
  readonly leftOut: readonly LeftOut[];
}

interface ImportedCount {
  readonly taken: number;
  /** Already taken by an earlier import. */
  readonly known: number;
}

/** Things left out by an import for the same reason. */
interface LeftOut {
  readonly reason: string;
  readonly count: number;
  /** The first few, such as `fit.1 of ada@example.org`. */
  readonly examples: readonly string[];
}
