import type { ImageChoice } from "#workflow/job/image-digest";
import type { Language } from "#workflow/language";

/** Features of a job that not every backend provides. */
export const JOB_FEATURES = [
  /** A job runs in its container image. */
  "image",
  /** A job cannot read or change the files of the server and of other users' runs. */
  "sandbox",
  /** A job can be kept from the network. */
  "network",
  "memory-limit",
  /** The backend limits the bytes written by a job. */
  "disk-limit",
  "time-limit",
  "core-limit",
  "output-limit",
  /** A job can write only to its own writable folders. */
  "writable-folders",
  /** A job runs as its requested user. */
  "user",
  /** Folders of the workspace appear at the places that a job names. */
  "mounts",
  /** A job gets a Kerberos ticket of its user. */
  "kerberos",
  /** A job gets a VOMS proxy of its user. */
  "voms-proxy",
  /** A job gets a configuration of Rucio. */
  "rucio",
] as const;

export type JobFeature = (typeof JOB_FEATURES)[number];

export interface BackendCapabilities {
  /** The values of a step's `compute_backend` for this backend, in REANA's spelling. */
  readonly computeBackends: readonly string[];
  /** Returns the currently enforced features. Jobs run without any other feature. */
  provides(): readonly JobFeature[];
  /**
   * Returns why the backend runs no job in this image. Optional: a backend may run jobs of any image, or
   * ignore images.
   */
  imageProblem?(image: string): string | undefined;
  /** Patterns of allowed images. If absent, all images are allowed. */
  readonly allowedImages?: readonly string[] | undefined;
  /**
   * Returns why a command that requires this image cannot run here at all. If absent, the command runs, with
   * or without the image.
   */
  requiredImageProblem?(image: string): Promise<string | undefined>;
  /**
   * Returns the digest of the image in which a job with this image name would run now. Null: the job would
   * run without a container. `UNKNOWN_DIGEST`: the image is not on this machine. If absent, jobs run without
   * containers.
   */
  imageDigest?(image: string | null): Promise<string | null>;
  /** Returns the state of image pulls. Optional: a backend may fetch no images. */
  imagePulls?(): ImagePulls;
  /**
   * Returns the most GPUs that a job may have. Infinity if the cluster decides. If absent, the number is unknown until a
   * job asks.
   */
  maxGpus?(): number;
  /**
   * Returns why jobs cannot see this repository of CVMFS. If absent, the answer is unknown until a job looks.
   */
  cvmfsProblem?(repository: string): Promise<string | undefined>;
  /** Returns which demands of a step, by REANA's names, its place cannot grant. If absent, the place decides later. */
  optionProblems?(demands: Readonly<Record<string, unknown>>): Promise<readonly OptionProblem[]>;
}

/** A demand of a step that the backend cannot grant. */
export interface OptionProblem {
  readonly key: string;
  readonly message: string;
}

/** Numbers of image pulls that are in progress, and that ended since the server started. */
export interface ImagePulls {
  readonly underWay: number;
  /** Time since the start of the oldest pull in progress. 0 without a pull. */
  readonly oldestMs: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** Abilities of this server, filled by `app/compose.ts` from engines and backends. */
export interface Capabilities {
  readonly languages: LanguageSet;
  /** The first entry is the default backend. */
  readonly backends: readonly NamedCapabilities[];
  /**
   * Folders in which a specification may request its workspace. The actual workspace is always in the data
   * folder.
   */
  readonly workspaceRoots?: readonly string[];
}

/**
 * The languages that can run now. Iterating looks for the programs of all languages; `has` looks only for the
 * program of one language.
 */
export interface LanguageSet extends Iterable<Language> {
  has(language: Language): boolean;
}

export interface NamedCapabilities extends BackendCapabilities {
  readonly name: string;
}

/** Returns the backend of a step that names this one, or none: the first. Undefined if no backend has the name. */
export function backendWith<One extends BackendCapabilities>(
  backends: readonly One[],
  word: string | undefined,
): One | undefined {
  if (word === undefined) return backends[0];
  return backends.find(({ computeBackends }) => computeBackends.includes(word));
}

/** Returns the digest of the image in which a job would run now, like `imageDigest` of the job's backend. */
export type DigestOf = (choice: ImageChoice) => Promise<string | null>;

/** Returns a function that asks the backend of a job for the digest of its image. */
export function digestsIn(backends: readonly BackendCapabilities[]): DigestOf {
  return async ({ image, backend: wanted }) => {
    const backend = backendWith(backends, wanted?.name);
    return (await backend?.imageDigest?.(image)) ?? null;
  };
}

/** Returns the values that a step's `compute_backend` may have, each once. */
export function computeBackendsOf(backends: readonly BackendCapabilities[]): string[] {
  return [...new Set(backends.flatMap((backend) => backend.computeBackends))];
}
