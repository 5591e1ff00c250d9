import { chmod, link, open, rm, writeFile } from "node:fs/promises";
import { codeOf, Refusal } from "#plumbing/errors";
import { openFileOrRefuse } from "#workspace/read/ask-files";
import {
  contentOf,
  type Digested,
  digestFile,
  digestOf,
  INLINE_MAX_BYTES,
} from "#workspace/read/digest-file";
import type { Algorithm } from "#workflow/job/job";
import type { FileThreads } from "#workspace/threads/file-threads";
import { openAt, type OpenFile } from "#workspace/read/open-file";
import { cleanPath, closing, InTheWay, maybeOpenRoot, walkToParent } from "#workspace/safe-path";
import { type WriteOptions, writeWith } from "#workspace/write/write-file";

export interface PublishRequest {
  readonly from: string;
  readonly to: string;
  readonly algorithm: Algorithm;
  /** True if the source is no longer written to, so both names may share one file. */
  readonly isSettled: boolean;
}

export interface Published extends Digested {
  readonly path: string;
}

interface PublishContext extends WriteOptions {
  readonly threads: FileThreads;
}

/**
 * Puts an output of a run in its place, whole or absent, with its mode. A settled file becomes a hard link, which costs
 * no space. Any other is copied, because a later job may change its own file and must not change what was published:
 * as a clone if the file system can share blocks, otherwise byte by byte in a thread.
 */
export async function publishOutput(
  context: PublishContext,
  request: PublishRequest,
  signal: AbortSignal,
): Promise<Published> {
  const { from, algorithm, isSettled } = request;
  let digest = "";
  let linked: string | undefined;
  const { path, bytes } = await writeWith(context, request.to, async (incoming) => {
    const isLinked = isSettled && (await isLinkedTo(context.folder, from, incoming));
    if (isLinked) linked = incoming;
    const source = await (isLinked ? openLinked(incoming, from) : openFileOrRefuse(context.folder, from));
    const made = isLinked
      ? await digestFile(source, algorithm, context.threads, signal)
      : await copyFile(context, source, { target: incoming, algorithm }, signal);
    digest = made.digest;
    if (isLinked && context.fsync) await syncFile(incoming);
    return made.bytes;
  });
  // A rename between two names of one file does nothing and keeps both names. The file had been published
  // before.
  if (linked !== undefined) await rm(linked, { force: true });
  return { path, bytes, digest };
}

/** Error codes of file systems and kernels that refuse a hard link: a copy is made instead. */
const NO_LINKS = new Set(["EXDEV", "EPERM", "EMLINK", "EOPNOTSUPP", "ENOTSUP", "ENOSYS"]);

/**
 * Makes a hard link to a file. Returns false if the file does not exist or the file system does not support
 * hard links.
 */
async function isLinkedTo(folder: string, name: string, target: string): Promise<boolean> {
  const clean = cleanPath(name);
  const root = await maybeOpenRoot(folder);
  if (!root) return false;
  try {
    const { parent, name: last } = await walkToParent(root, clean);
    await closing(parent, () => link(parent.at(last), target));
    return true;
  } catch (error) {
    // The following copy refuses a missing file, with a sentence.
    if (error instanceof InTheWay || codeOf(error) === "ENOENT" || NO_LINKS.has(codeOf(error) ?? ""))
      return false;
    throw error;
  }
}

/** Opens the linked entry. Refuses an entry that is not a regular file; the caller removes the link. */
async function openLinked(incoming: string, name: string): Promise<OpenFile> {
  const opened = await openAt(incoming, name);
  if (opened?.kind === "file") return opened.file;
  throw new Refusal("malformed", `${name} is not a regular file.`);
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function copyFile(
  { fsync, threads }: PublishContext,
  source: OpenFile,
  { target, algorithm }: { readonly target: string; readonly algorithm: Algorithm },
  signal: AbortSignal,
): Promise<Digested> {
  const { bytes, mode } = source;
  return source.using(async (descriptor) => {
    if (bytes > INLINE_MAX_BYTES) {
      const work = { do: "copy", descriptor, bytes, algorithm, target, mode, fsync } as const;
      return { bytes, digest: await threads.work(work, signal) };
    }
    const content = await contentOf(source);
    await writeFile(target, content, { flag: "wx", mode: 0o600, flush: fsync });
    await chmod(target, mode);
    return { bytes, digest: digestOf(content, algorithm) };
  });
}
