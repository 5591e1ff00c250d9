import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { ApiError } from "./errors.ts";
import type { RepriseClient } from "./index.ts";

export interface Download {
  /** UUID or name of the workflow. */
  readonly workflow: string;
  /** Path inside the workspace. */
  readonly name: string;
  /** Local path; missing folders are made. */
  readonly target: string;
  /** Called with the number of bytes received since the last call. */
  readonly onBytes?: (count: number) => void;
}

/** Connection failures in a row without a received byte after which a download fails. */
const FAILURES_WITHOUT_PROGRESS_MAX = 5;

/**
 * Downloads a file under a temporary name until complete. After a broken connection, or when called again,
 * the download resumes with the bytes received so far, as long as the server's file is unchanged (`ETag`).
 */
export async function downloadFile(client: RepriseClient, download: Download): Promise<number> {
  try {
    return await fetchFile(client, download);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new Error(
      `The disk is full: ${download.target} was not written. Free some space there, then try again.`,
      { cause: error },
    );
  }
}

async function fetchFile(client: RepriseClient, download: Download): Promise<number> {
  await mkdir(path.dirname(download.target), { recursive: true });
  let failures = 0;
  for (;;) {
    const { part, bytes, fresh, isWhole, failure } = await receive(client, download);
    if (isWhole) {
      await rename(part, download.target);
      return bytes;
    }
    failures = fresh > 0 ? 0 : failures + 1;
    if (failures > FAILURES_WITHOUT_PROGRESS_MAX)
      throw new ApiError(0, `${download.name} broke off after ${bytes} bytes.`, { cause: failure });
  }
}

interface Received {
  readonly part: string;
  readonly bytes: number;
  readonly fresh: number;
  readonly isWhole: boolean;
  readonly failure?: unknown;
}

async function receive(client: RepriseClient, download: Download): Promise<Received> {
  const first = await client.send(address(download));
  const etag = etagOf(first);
  const part = partOf(download.target, etag);
  const before = etag === undefined ? 0 : await sizeOf(part);
  if (before > 0 && before === Number(first.headers.get("content-length"))) {
    // An earlier call received the whole file, and ended before the file had its name.
    await first.body?.cancel();
    return { part, bytes: before, fresh: 0, isWhole: true };
  }
  const response = before === 0 ? first : await requestRest(client, download, first, before);
  const start = response.status === 206 ? before : 0;
  const total = start + Number(response.headers.get("content-length") ?? Number.NaN);
  const mode = response.headers.get("reprise-executable") === "true" ? 0o777 : 0o666;
  const handle = await openPart(part, start, mode);
  try {
    const { bytes, failure } = await writeBody(response, handle, start, download.onBytes);
    // Without a Content-Length, the end of the stream is the end of the file.
    const isWhole = failure === undefined && (Number.isNaN(total) || bytes === total);
    return { part, bytes, fresh: bytes - start, isWhole, failure };
  } catch (error) {
    // A file that cannot be completed must not keep the disk full.
    if (isDiskFull(error)) await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Opens the partial file. Never writes through a link planted in its place. */
async function openPart(part: string, start: number, mode: number): Promise<FileHandle> {
  if (start > 0) return open(part, constants.O_RDWR | constants.O_NOFOLLOW);
  await rm(part, { force: true });
  return open(part, "wx", mode);
}

/** Requests the rest of an earlier transfer, or the whole file if the server's file has changed. */
async function requestRest(
  client: RepriseClient,
  download: Download,
  first: Response,
  before: number,
): Promise<Response> {
  if (before > Number(first.headers.get("content-length"))) return first;
  await first.body?.cancel();
  const headers = { range: `bytes=${before}-`, "if-range": etagOf(first)! };
  return client.send(address(download), { headers });
}

async function writeBody(
  response: Response,
  handle: FileHandle,
  start: number,
  onBytes: Download["onBytes"],
): Promise<{ bytes: number; failure?: unknown }> {
  let bytes = start;
  const chunks = response.body?.getReader();
  for (;;) {
    const next = await chunks?.read().catch((failure: unknown) => ({ failure }));
    if (next && "failure" in next) return { bytes, failure: next.failure };
    if (!next?.value) return { bytes };
    await writeAll(handle, next.value, bytes);
    bytes += next.value.length;
    onBytes?.(next.value.length);
  }
}

/** Repeats short writes: a nearly full disk accepts some of the bytes and reports the error only on the next write. */
async function writeAll(handle: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
  }
}

/** Returns whether the disk is full, or the user's quota. */
function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes((error as { code?: string }).code ?? "");
}

/** Returns the strong ETag of the file. A weak ETag does not identify the bytes. */
function etagOf(response: Response): string | undefined {
  const etag = response.headers.get("etag");
  return etag === null || etag.startsWith("W/") ? undefined : etag;
}

/** Returns the name of the partial file, which is different for each version of the server's file. */
function partOf(target: string, etag: string | undefined): string {
  const mark = createHash("sha256")
    .update(etag ?? `${process.pid}`)
    .digest("hex")
    .slice(0, 16);
  return path.join(path.dirname(target), `.${path.basename(target).slice(0, 200)}.${mark}.part`);
}

/** Returns the size of a regular file, or 0 if it does not exist. */
async function sizeOf(file: string): Promise<number> {
  try {
    const there = await lstat(file);
    return there.isFile() ? there.size : 0;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return 0;
    throw error;
  }
}

function address({ workflow, name }: Download): string {
  // Slashes become %2F: otherwise a proxy might resolve a part of the name as `..`.
  return `/api/workflows/${encodeURIComponent(workflow)}/workspace/${encodeURIComponent(name)}`;
}
