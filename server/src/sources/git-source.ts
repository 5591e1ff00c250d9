import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";

import { Refusal } from "#plumbing/errors";
import { humanSize } from "#plumbing/text/human-size";
import { type GitAddress, parseGitAddress } from "#workflow/git-address";
import {
  type Clone,
  download,
  type GitCredential,
  initClone,
  listFolder,
  typeAt,
  writeFiles,
} from "#sources/git-clone";
import { checkGitVersion } from "#sources/git-version";
import { checkHost, resolveHost, type Resolve, systemResolve } from "#sources/resolve-host";
import type { SpecificationWarning } from "#workflow/specification/specification";

/**
 * Specifications and their files from a Git repository on the web. Guarantees:
 * - connects only to hosts that `checkHost` and `resolveHost` allow, without redirects, hooks or submodules, and without
 *   credentials but those that it is given for the address;
 * - limits time, bytes and files, and writes only regular files, only inside `into`;
 * - leaves nothing behind on failure: no process, no temporary file, no `into`.
 */
export interface GitSource {
  /** Fetches into `into`, which must be absent or empty. For the form of an address see `workflow/git-address.ts`. */
  fetch(address: string, into: string, credential?: GitCredential): Promise<FetchedRepository>;
}

export interface FetchedRepository {
  /** `into`: the repository folder that contains the specification, without `.git`. */
  readonly folder: string;
  /** Name of the specification's file in the folder: `reana.yaml`. */
  readonly specificationName: string;
  readonly specificationText: string;
  /** The address for messages and for the record. */
  readonly address: string;
  /** Warnings about files that were left out: symbolic links and submodules. */
  readonly warnings: readonly SpecificationWarning[];
}

export interface GitSourceOptions {
  readonly httpHosts: readonly string[];
  readonly privateHosts: readonly string[];
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly timeoutMs: number;
  readonly tempFolder: string;
  readonly resolve?: Resolve;
  /** Search path for git. Defaults to the PATH of this process. */
  readonly searchPath?: string;
}

export type { GitCredential };

/** Largest specification. A YAML parser blocks the server while it works, and takes a second at worst for this size. */
export const MAX_SPECIFICATION_BYTES = 256 * 1024;
const SPECIFICATION_NAMES = ["reana.yaml", "reana.yml"];
/** Each fetch costs processes, and memory and disk up to its limits. */
const MAX_FETCHES_AT_ONCE = 8;

export function openGitSource(options: GitSourceOptions): GitSource {
  let running = 0;
  return {
    fetch: async (text, into, credential) => {
      const address = parseGitAddress(text);
      checkHost(address, options);
      if (running >= MAX_FETCHES_AT_ONCE) throw busyRefusal(running);
      running += 1;
      try {
        return await withDeadline(options.timeoutMs, address, (signal) =>
          fetchInto(options, { address, into, credential, signal }),
        );
      } finally {
        running -= 1;
      }
    },
  };
}

interface Fetch extends Pick<Clone, "address" | "credential" | "signal"> {
  readonly into: string;
}

async function fetchInto(
  options: GitSourceOptions,
  { address, into, credential, signal }: Fetch,
): Promise<FetchedRepository> {
  const { maxBytes, maxFiles, tempFolder } = options;
  const resolve = options.resolve ?? systemResolve;
  const hostAddresses = await untilAborted(resolveHost(address, options, resolve), signal);
  await mkdir(tempFolder, { recursive: true });
  const folder = await mkdtemp(path.join(tempFolder, "git-"));
  const searchPath = options.searchPath ?? process.env["PATH"] ?? "";
  try {
    const clone: Clone = { address, credential, folder, searchPath, signal, maxBytes, maxFiles };
    await checkGitVersion({ folder, searchPath, signal });
    await initClone(clone);
    await download(clone, hostAddresses);
    return await emptyOnFailure(into, () => writeWorkflow(clone, into));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeWorkflow(clone: Clone, into: string): Promise<FetchedRepository> {
  const { address } = clone;
  const { folder, names } = await findFolder(clone);
  const listing = await listFolder(clone, folder);
  const specification = names
    .map((name) => listing.files.find((file) => file.path === name))
    .find((file) => file !== undefined);
  if (specification === undefined) {
    throw new Refusal("malformed", `There is no ordinary file ${names.join(" or ")} at ${address.display}.`);
  }
  if (specification.bytes > MAX_SPECIFICATION_BYTES) {
    const most = humanSize(MAX_SPECIFICATION_BYTES);
    throw new Refusal("malformed", `${specification.path} at ${address.display} is larger than ${most}.`);
  }
  await writeFiles(clone, folder, listing.files, into);
  return {
    folder: into,
    specificationName: specification.path,
    specificationText: await readText(path.join(into, specification.path), specification.path),
    address: address.display,
    warnings: listing.warnings(),
  };
}

/** Returns the folder that becomes the workspace, and the possible names of the specification in it. */
async function findFolder(clone: Clone): Promise<{ folder: string; names: readonly string[] }> {
  const { path: wanted, display } = clone.address;
  if (wanted === "") return { folder: "", names: SPECIFICATION_NAMES };
  const type = await typeAt(clone, wanted);
  if (type === "tree") return { folder: wanted, names: SPECIFICATION_NAMES };
  if (type === undefined) throw new Refusal("malformed", `There is no "${wanted}" at ${display}.`);
  if (type === "blob" && /\.(ya?ml|json)$/i.test(wanted)) {
    const parent = path.posix.dirname(wanted);
    return { folder: parent === "." ? "" : parent, names: [path.posix.basename(wanted)] };
  }
  throw new Refusal("malformed", `"${wanted}" at ${display} is neither a folder nor a YAML file.`);
}

async function readText(file: string, name: string): Promise<string> {
  const content = await readFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (error) {
    throw new Refusal("malformed", `${name} in the repository is not UTF-8 text.`, { cause: error });
  }
}

/** Removes `into` if the work fails, so that no half-written workspace remains. */
async function emptyOnFailure<Result>(into: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(into, { recursive: true });
  if ((await readdir(into)).length > 0)
    throw new Error(`${into} is not empty, so no repository is written into it`);
  try {
    return await work();
  } catch (error) {
    await rm(into, { recursive: true, force: true });
    throw error;
  }
}

async function withDeadline<Result>(
  timeoutMs: number,
  address: GitAddress,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const sentence = `Reading ${address.display} took longer than ${timeoutMs / 1000} seconds and was given up.`;
  const timer = setTimeout(() => deadline.abort(new Refusal("malformed", sentence)), timeoutMs);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Stops waiting when the signal aborts, for work that cannot be aborted and continues unobserved. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return await new Promise<Result>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function busyRefusal(running: number): Refusal {
  return new Refusal(
    "unavailable",
    `This server is reading ${running} repositories already, which is the most at once. Try again in some seconds.`,
  );
}
