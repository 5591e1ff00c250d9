import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ApiError } from "./errors.ts";
import type { RepriseClient } from "./index.ts";

export interface Download {
  /** UUID or name of the workflow. */
  readonly workflow: string;
  /** Its path inside the workspace. */
  readonly name: string;
  /** Where it goes on this machine; folders are made. */
  readonly target: string;
  /** Told how many bytes more have come. */
  readonly onBytes?: (count: number) => void;
}

/** A transfer that breaks goes on as long as it gets somewhere: so many breaks without a byte in between are the end. */
const BARREN_BREAKS_MAX = 5;

/**
 * Fetches a file. It lies under another name until it is whole; what has come goes on being used when the connection
 * breaks, or when this is called again, as long as the server's file is still the same one (`ETag`).
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
  let barren = 0;
  for (;;) {
    const { part, bytes, fresh, isWhole, failure } = await receive(client, download);
    if (isWhole) {
      await rename(part, download.target);
      return bytes;
    }
    barren = fresh > 0 ? 0 : barren + 1;
    if (barren > BARREN_BREAKS_MAX)
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
  const response = before === 0 ? first : await goOn(client, download, first, before);
  const start = response.status === 206 ? before : 0;
  const total = start + Number(response.headers.get("content-length") ?? Number.NaN);
  const mode = response.headers.get("reprise-executable") === "true" ? 0o777 : 0o666;
  const handle = await open(part, start === 0 ? "w" : "r+", mode);
  try {
    const { bytes, failure } = await pour(response, handle, start, download.onBytes);
    // Who tells no length tells the end by ending.
    const isWhole = failure === undefined && (Number.isNaN(total) || bytes === total);
    return { part, bytes, fresh: bytes - start, isWhole, failure };
  } catch (error) {
    // What cannot become whole is not to keep the disk full.
    if (isDiskFull(error)) await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** The rest of what an earlier transfer left, or all of it when the server's file is another one by now. */
async function goOn(
  client: RepriseClient,
  download: Download,
  first: Response,
  before: number,
): Promise<Response> {
  if (before >= Number(first.headers.get("content-length"))) return first;
  await first.body?.cancel();
  const headers = { range: `bytes=${before}-`, "if-range": etagOf(first)! };
  return client.send(address(download), { headers });
}

async function pour(
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

/** A disk that is nearly full takes a part of it, and says so only when asked again. */
async function writeAll(handle: FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
  }
}

/** Or somebody's part of it, a quota. */
function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes((error as { code?: string }).code ?? "");
}

/** Of a server that says which file it is; a weak tag does not tell for certain. */
function etagOf(response: Response): string | undefined {
  const etag = response.headers.get("etag");
  return etag === null || etag.startsWith("W/") ? undefined : etag;
}

/** The part of another file has another name. */
function partOf(target: string, etag: string | undefined): string {
  const mark = createHash("sha256")
    .update(etag ?? `${process.pid}`)
    .digest("hex")
    .slice(0, 16);
  return path.join(path.dirname(target), `.${path.basename(target).slice(0, 200)}.${mark}.part`);
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return 0;
    throw error;
  }
}

function address({ workflow, name }: Download): string {
  // Slashes as %2F: a proxy cannot take a part of the name for a step up.
  return `/api/workflows/${encodeURIComponent(workflow)}/workspace/${encodeURIComponent(name)}`;
}
