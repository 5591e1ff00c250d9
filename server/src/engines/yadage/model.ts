/**
 * A Yadage workflow made from its documents at the start: every `$ref` is inlined, defaults are filled in, and the
 * shape has been checked. The names of the fields are Yadage's own.
 */
export interface Model {
  readonly workflow: Workflow;
  /** The parameters of the run. If null, the workflow has no stage `init`. */
  readonly initdata: Readonly<Record<string, unknown>> | null;
  /** The base folder of relative paths among the parameters, relative to the workspace. */
  readonly initdir: string;
  /** Findings of the validation that are not problems. */
  readonly warnings?: readonly string[];
  /** Warnings about the texts of the documents. */
  readonly textWarnings?: readonly string[];
}

export interface Workflow {
  readonly stages: readonly Stage[];
}

export interface Stage {
  readonly name: string;
  readonly dependencies: Predicate;
  readonly scheduler: Scheduler;
}

/** The condition for applying a stage. */
export type Predicate =
  | { readonly dependency_type: "jsonpath_ready"; readonly expressions: readonly string[] }
  | { readonly dependency_type: "expressions_fulfilled"; readonly expressions: readonly unknown[] };

export type Scheduler = SingleStep | MultiStep | JqStage;

/** The additions of a stage to the run: steps or nested workflows. Cases choose among steps by the parameters. */
export interface Body {
  readonly step?: Packtivity;
  readonly workflow?: Workflow;
  readonly workflow_opts?: { readonly discover?: boolean; readonly relative?: boolean };
  readonly cases?: readonly Case[];
  readonly register_values?: Readonly<Record<string, unknown>>;
}

export interface Case {
  readonly if: string;
  readonly step?: Packtivity;
  readonly workflow?: Workflow;
}

interface SingleStep extends Body {
  readonly scheduler_type: "singlestep-stage";
  readonly parameters: readonly Parameter[];
}

export interface MultiStep extends Body {
  readonly scheduler_type: "multistep-stage";
  readonly parameters: readonly Parameter[];
  readonly scatter: { readonly method: "zip" | "cartesian"; readonly parameters: readonly string[] };
  readonly batchsize?: number;
  readonly partitionsize?: number;
}

export interface JqStage extends Body {
  readonly scheduler_type: "jq-stage";
  readonly bindings: unknown;
  readonly stepscript: string;
  readonly postscript: string;
}

export interface Parameter {
  readonly key: string;
  readonly value: unknown;
}

/** A step: program, environment and results. */
export interface Packtivity {
  readonly process: Process | null;
  readonly environment: Environment | null;
  readonly publisher: Publisher;
}

export type Process =
  | { readonly process_type: "string-interpolated-cmd"; readonly cmd: string }
  | {
      readonly process_type: "interpolated-script-cmd";
      readonly script: string;
      readonly interpreter: string;
    };

export type Environment =
  | DockerEnvironment
  | { readonly environment_type: "localproc-env" }
  | { readonly environment_type: "noop-env" };

export interface DockerEnvironment {
  readonly environment_type: "docker-encapsulated";
  readonly image: string;
  readonly imagetag: string;
  readonly envscript: string;
  readonly env: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly workdir: string | null;
  readonly resources: readonly unknown[];
  readonly par_mounts: readonly { readonly jqscript: string; readonly mountpath: string }[];
}

export type Publisher =
  | { readonly publisher_type: "constant-pub"; readonly publish: unknown }
  | { readonly publisher_type: "frompar-pub"; readonly outputmap: unknown }
  | InterpolatedPublisher
  | JqPublisher
  | { readonly publisher_type: "fromglob-pub"; readonly globexpression: string; readonly outputkey: string }
  | { readonly publisher_type: "fromyaml-pub"; readonly yamlfile: string };

export interface InterpolatedPublisher {
  readonly publisher_type: "interpolated-pub";
  readonly publish: unknown;
  readonly glob: boolean;
  readonly relative_paths: boolean;
}

export interface JqPublisher {
  readonly publisher_type: "fromparjq-pub";
  readonly script: string;
  readonly tryExact: boolean;
  readonly glob: boolean;
  readonly relative_paths: boolean;
}
