import { mkdir, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";

import { Refusal } from "#plumbing/errors";
import type { GitAddress } from "#workflow/git-address";
import { type GitCommand, type GitResult, runGit } from "#sources/git-command";
import { fetchRefusal, writeRefusal } from "#sources/git-failure";
import { type TreeFile, TreeListing } from "#sources/git-tree";
import { folderBytes, waitUntilLarger } from "#sources/watch-size";

/**
 * A commit of a repository, fetched into a temporary bare repository and inspected before any file is written. Git
 * never manages a working tree: the server decides from the listing which files git writes, and where.
 */
export interface Clone {
  readonly address: GitAddress;
  /** Temporary folder with the bare repository, used by no other fetch. */
  readonly folder: string;
  readonly searchPath: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly credential?: GitCredential | undefined;
}

/** A user and a password for the repository's host, and for no other. */
export interface GitCredential {
  readonly user: string;
  readonly password: string;
}

/** Memory that git needs to read an object, in addition to the size of the object. */
const SPARE_MEMORY_BYTES = 64 * 2 ** 20;
const WANTED = "refs/reprise/wanted";

/**
 * Attributes that override the repository's own: files are written byte for byte as committed, so that no
 * conversion (line ends, encodings, filters such as LFS) makes a file larger than its listed size, or runs a
 * program.
 */
const ATTRIBUTES = "* -text -ident -filter -diff -merge !eol !crlf !working-tree-encoding\n";

export async function initClone(clone: Clone): Promise<void> {
  const result = await git(clone, ["init", "--quiet", "--bare", "--template=", gitFolder(clone)]);
  if (result.exitCode !== 0) throw writeRefusal(clone.address, result.errors);
  await mkdir(path.join(gitFolder(clone), "info"), { recursive: true });
  await writeFile(path.join(gitFolder(clone), "info", "attributes"), ATTRIBUTES);
}

/** Fetches one commit without its history. Git connects only to `hostAddresses`. */
export async function download(clone: Clone, hostAddresses: readonly string[]): Promise<void> {
  const { address, maxBytes } = clone;
  const args = [...pin(address, hostAddresses), ...FETCH, "--", address.url, `+${address.ref}:${WANTED}`];
  const secretSetting = maybeHeader(clone);
  const result = await whileSmall(clone, (signal) => git(clone, args, { signal, secretSetting }));
  if (result.exitCode !== 0) throw fetchRefusal(address, result.errors, clone.credential !== undefined);
  if ((await folderBytes(clone.folder)) > maxBytes) throw sizeRefusal(clone);
}

/** Returns git's setting for the header of a credential. Git sends the header to this address only. */
function maybeHeader({ address, credential }: Clone): readonly [string, string] | undefined {
  if (!credential) return undefined;
  const encoded = Buffer.from(`${credential.user}:${credential.password}`).toString("base64");
  return [`http.${address.url}.extraHeader`, `Authorization: Basic ${encoded}`];
}

/** Aborts the work if the clone's folder grows past its limit. */
async function whileSmall<Result>(
  clone: Clone,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const tooLarge = new AbortController();
  const done = new AbortController();
  const watching = waitUntilLarger(clone.folder, clone.maxBytes, done.signal).then(
    (isLarger) => isLarger && tooLarge.abort(sizeRefusal(clone)),
    (error: unknown) => tooLarge.abort(error),
  );
  try {
    return await work(AbortSignal.any([clone.signal, tooLarge.signal]));
  } finally {
    done.abort();
    await watching;
  }
}

const FETCH = [
  "fetch",
  "--quiet",
  "--depth=1",
  "--no-tags",
  "--no-recurse-submodules",
  "--no-auto-maintenance",
  "--no-write-fetch-head",
];

/** Returns the type of the object at a path of the commit: `tree`, `blob`, `commit` (a submodule), or undefined. */
export async function typeAt(clone: Clone, pathInside: string): Promise<string | undefined> {
  let output = "";
  const onOutput = (chunk: Buffer): void => void (output += chunk.toString("utf8"));
  const result = await git(clone, ["cat-file", "-t", `${WANTED}:${pathInside}`], { onOutput });
  return result.exitCode === 0 ? output.trim() : undefined;
}

export async function listFolder(clone: Clone, folder: string): Promise<TreeListing> {
  const { maxFiles, maxBytes, address } = clone;
  const listing = new TreeListing({ maxFiles, maxBytes, what: `The repository ${address.display}` });
  const onOutput = (chunk: Buffer): void => listing.add(chunk);
  const result = await git(clone, ["ls-tree", "-r", "-z", "-l", "--full-tree", `${WANTED}:${folder}`], {
    onOutput,
  });
  if (result.exitCode !== 0) throw fetchRefusal(address, result.errors);
  return listing;
}

/** Writes the given files of a folder of the commit into the empty folder `into`. */
export async function writeFiles(
  clone: Clone,
  folder: string,
  files: readonly TreeFile[],
  into: string,
): Promise<void> {
  const index = await git(clone, ["read-tree", `${WANTED}:${folder}`]);
  if (index.exitCode !== 0) throw writeRefusal(clone.address, index.errors);
  const paths = Buffer.concat(files.flatMap((file) => [file.rawPath, Buffer.from([0])]));
  const args = [`--work-tree=${into}`, "checkout-index", "--quiet", "-z", "--stdin"];
  const result = await git(clone, args, { stdin: paths, folder: into });
  if (result.exitCode !== 0) throw writeRefusal(clone.address, result.errors);
}

/**
 * Pins the host to these addresses. The server resolves the name once: a later DNS change to a private address has no
 * effect.
 */
function pin({ host, port }: GitAddress, hostAddresses: readonly string[]): string[] {
  if (isIP(host) !== 0) return [];
  const addresses = hostAddresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
  return ["-c", `http.curloptResolve=${host}:${port}:${addresses.join(",")}`];
}

function git(
  clone: Clone,
  args: readonly string[],
  more: Partial<Pick<GitCommand, "signal" | "stdin" | "onOutput" | "folder" | "secretSetting">> = {},
): Promise<GitResult> {
  const { searchPath, signal, folder, maxBytes } = clone;
  return runGit({
    args: [`--git-dir=${gitFolder(clone)}`, ...args],
    folder,
    home: folder,
    searchPath,
    signal,
    maxMemoryBytes: SPARE_MEMORY_BYTES + maxBytes,
    ...more,
  });
}

function gitFolder(clone: Clone): string {
  return path.join(clone.folder, "repository.git");
}

function sizeRefusal({ address, maxBytes }: Clone): Refusal {
  return new Refusal(
    "malformed",
    `The repository ${address.display} is larger than ${maxBytes} bytes, which is the maximum here.`,
  );
}
