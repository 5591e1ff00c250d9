import type { ImageChoice } from "#workflow/job/image-digest";
import type { Language } from "#workflow/language";

/** Requests of a job that not every backend fulfils. */
export const JOB_FEATURES = [
  /** A job runs in the container image that it names. */
  "image",
  /** A job cannot read or change the files of the server and of other users' runs. */
  "sandbox",
  /** A job can be kept from the network. */
  "network",
  "memory-limit",
  /** The bytes that a job writes are limited. */
  "disk-limit",
  "time-limit",
  "core-limit",
  "output-limit",
  /** A job can write only to the folders that it names. */
  "writable-folders",
  /** A job runs as the user that it names. */
  "user",
  /** Folders of the workspace appear at the places that a job names. */
  "mounts",
  /** A job gets a Kerberos ticket of its user. */
  "kerberos",
] as const;

export type JobFeature = (typeof JOB_FEATURES)[number];

export interface BackendCapabilities {
  /** The values of a step's `compute_backend` that mean this backend, in REANA's spelling. */
  readonly computeBackends: readonly string[];
  /** Returns the features that it enforces now. Its jobs run without the others. */
  provides(): readonly JobFeature[];
  /** Returns why it runs no job in this image. Absent: it runs jobs of any image, or ignores images. */
  imageProblem?(image: string): string | undefined;
  /** Patterns of the images that its jobs may use. Absent: all. */
  readonly allowedImages?: readonly string[] | undefined;
  /** Returns why a command that requires this image cannot run here at all. Absent: it runs, with or without the image. */
  requiredImageProblem?(image: string): Promise<string | undefined>;
  /**
   * Returns the digest of the image in which a job that names this one would run now. Null: it would run without a
   * container. `UNKNOWN_DIGEST`: the image is not on this machine. Absent: jobs run without containers.
   */
  imageDigest?(image: string | null): Promise<string | null>;
  /** Returns how it fetches images. Absent: it fetches none. */
  imagePulls?(): ImagePulls;
  /** Returns why its jobs cannot see this repository of CVMFS. If absent, this is unknown until a job looks. */
  cvmfsProblem?(repository: string): Promise<string | undefined>;
}

/** Images that are fetched from registries, and those that were since the server started. */
export interface ImagePulls {
  readonly underWay: number;
  /** Time since the first of those under way began. 0: there is none. */
  readonly oldestMs: number;
  readonly succeeded: number;
  readonly failed: number;
}

/**
 * Abilities of this server, filled by `app/compose.ts` from its engines and backends, so that operations need not know them.
 */
export interface Capabilities {
  readonly languages: LanguageSet;
  /** The first one runs the jobs that name none. */
  readonly backends: readonly NamedCapabilities[];
  /** Folders in which a specification may request its workspace. The workspace is always one of ours. */
  readonly workspaceRoots?: readonly string[];
}

/** The languages that can be run now. To list them looks for programs of the machine; `has` looks only for that of one language. */
export interface LanguageSet extends Iterable<Language> {
  has(language: Language): boolean;
}

export interface NamedCapabilities extends BackendCapabilities {
  readonly name: string;
}

/** Returns the digest of the image in which a job would run now, as `imageDigest` of its backend does. */
export type DigestOf = (choice: ImageChoice) => Promise<string | null>;

/** Returns a function that asks the backend of a job for the digest of its image. */
export function digestsIn(backends: readonly BackendCapabilities[]): DigestOf {
  return async ({ image, backend: wanted }) => {
    const backend =
      wanted === undefined
        ? backends[0]
        : backends.find(({ computeBackends }) => computeBackends.includes(wanted.name));
    return (await backend?.imageDigest?.(image)) ?? null;
  };
}

/** Returns the values that a step's `compute_backend` may have, each once. */
export function computeBackendsOf(backends: readonly BackendCapabilities[]): string[] {
  return [...new Set(backends.flatMap((backend) => backend.computeBackends))];
}
