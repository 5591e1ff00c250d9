import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { downloadFile } from "./download.ts";
import { ApiError, NoAnswerError } from "./errors.ts";
import { type FileRecord, joinRecords, recordsIn } from "./file-records.ts";
import { inParallel } from "./in-parallel.ts";
import type { RepriseClient } from "./index.ts";
import { mayExecute, uploadFile } from "./upload.ts";

export interface TransferredFile {
  /** Path inside the workspace. */
  readonly name: string;
  /** Local path. */
  readonly file: string;
  /** Size in bytes, as far as it is known. */
  readonly bytes: number;
}

export interface Transfer {
  /** UUID or name of the workflow. */
  readonly workflow: string;
  readonly files: readonly TransferredFile[];
  /** Called with the number of bytes transferred since the last call. */
  readonly onBytes?: (count: number) => void;
  /** Called with the number of bytes hashed since the last call: a large file is read once before it is sent. */
  readonly onChecked?: (count: number) => void;
  /** Called after each file. */
  readonly onFile?: () => void;
  /**
   * Called in a download with the name of a skipped link: one that leads out of its workspace, to a folder,
   * or to a missing file. If absent, such a link is an error.
   */
  readonly onLink?: (name: string) => void;
  /** Aborting starts no further transfer: the call fails with the signal's reason after the running ones have ended. */
  readonly signal?: AbortSignal;
}

const FILES = "/api/workflows/{workflow_id_or_name}/files";
/** Largest file that is sent in a batch; larger files are sent alone. */
const SMALL_MAX_BYTES = 1 << 20;
/** Largest batch: it is kept in memory, and sent again if no response arrives. */
const BATCH_MAX_BYTES = 4 << 20;
const BATCH_MAX_FILES = 100;
/** Maximum total length of the encoded names in one URL. */
const BATCH_MAX_NAME_CHARS = 6000;
const BATCHES_AT_ONCE = 4;
/** Enough to hide the latency of one request, few enough for any server. */
const FILES_AT_ONCE = 16;

/** Uploads files to a workspace, small ones in batches. */
export async function uploadFiles(client: RepriseClient, transfer: Transfer): Promise<void> {
  const { small, large } = bySize(transfer.files);
  const left: TransferredFile[] = [];
  await inParallel(batchesOf(small), BATCHES_AT_ONCE, async (batch) => {
    transfer.signal?.throwIfAborted();
    if (!(await sendBatch(client, transfer, batch))) left.push(...batch);
  });
  await inParallel([...left, ...large], FILES_AT_ONCE, async ({ name, file }) => {
    transfer.signal?.throwIfAborted();
    await uploadFile(client, { workflow: transfer.workflow, name, file, ...told(transfer) });
    transfer.onFile?.();
  });
}

/** Downloads files, small ones in batches. Each file is written completely or not at all. */
export async function downloadFiles(client: RepriseClient, transfer: Transfer): Promise<void> {
  const { small, large } = bySize(transfer.files);
  const folders = new Set(transfer.files.map(({ file }) => path.dirname(file)));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const left: TransferredFile[] = [];
  await inParallel(batchesOf(small), BATCHES_AT_ONCE, async (batch) => {
    transfer.signal?.throwIfAborted();
    left.push(...(await fetchBatch(client, transfer, batch)));
  });
  await inParallel([...left, ...large], FILES_AT_ONCE, async ({ name, file }) => {
    transfer.signal?.throwIfAborted();
    try {
      await downloadFile(client, { workflow: transfer.workflow, name, target: file, ...told(transfer) });
    } catch (error) {
      if (!transfer.onLink || !(error instanceof ApiError) || error.code !== "symlink") throw error;
      transfer.onLink(name);
    }
    transfer.onFile?.();
  });
}

function told({ onBytes, onChecked }: Transfer): Pick<Transfer, "onBytes" | "onChecked"> {
  return { ...(onBytes && { onBytes }), ...(onChecked && { onChecked }) };
}

function bySize(files: readonly TransferredFile[]) {
  const small = files.filter(({ bytes }) => bytes <= SMALL_MAX_BYTES);
  // Batching one or two files saves no time.
  if (small.length < 3) return { small: [], large: files };
  return { small, large: files.filter(({ bytes }) => bytes > SMALL_MAX_BYTES) };
}

function* batchesOf(files: readonly TransferredFile[]): Generator<TransferredFile[]> {
  let batch: TransferredFile[] = [];
  let [bytes, chars] = [0, 0];
  for (const file of files) {
    const isFull =
      batch.length === BATCH_MAX_FILES ||
      bytes + file.bytes > BATCH_MAX_BYTES ||
      chars > BATCH_MAX_NAME_CHARS;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      [bytes, chars] = [0, 0];
    }
    batch.push(file);
    bytes += file.bytes;
    chars += encodeURIComponent(file.name).length;
  }
  if (batch.length > 0) yield batch;
}

/** Sends a batch. Returns false if the server does not accept it: it may not know the endpoint, or a file has grown. */
async function sendBatch(
  client: RepriseClient,
  transfer: Transfer,
  batch: readonly TransferredFile[],
): Promise<boolean> {
  const records = await Promise.all(
    // Synchronous, because a switch of threads costs 20 times as much.
    batch.map(async ({ name, file }) => ({
      name,
      content: await readFile(file),
      isExecutable: mayExecute(statSync(file).mode),
    })),
  );
  try {
    await client.POST(FILES, {
      params: { path: { workflow_id_or_name: transfer.workflow } },
      headers: { "content-type": "application/octet-stream" },
      body: "",
      bodySerializer: () => joinRecords(records),
    });
  } catch (error) {
    if (error instanceof ApiError && [404, 405, 413].includes(error.status)) return false;
    throw error;
  }
  for (const { content } of records) tell(transfer, content.length);
  return true;
}

/** Returns the files that did not arrive. Each is requested again individually, which reports its error. */
async function fetchBatch(
  client: RepriseClient,
  transfer: Transfer,
  batch: readonly TransferredFile[],
): Promise<readonly TransferredFile[]> {
  const left = new Map(batch.map((file) => [file.name, file]));
  const query = batch.map(({ name }) => `name=${encodeURIComponent(name)}`).join("&");
  const from = FILES.replace("{workflow_id_or_name}", encodeURIComponent(transfer.workflow));
  try {
    const { body } = await client.send(`${from}?${query}`);
    if (!body) return batch;
    for await (const record of recordsIn(body)) {
      const wanted = left.get(record.name);
      if (!wanted || !isWritten(wanted.file, record)) continue;
      left.delete(record.name);
      tell(transfer, record.content.length);
    }
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    // The response broke off, or the server does not know the endpoint.
  }
  return [...left.values()];
}

/**
 * Writes a file by rename, so that it is never visible in parts. Returns false on failure: the file is
 * requested again individually, which reports the error. Synchronous, because four switches of threads cost
 * more than a small file.
 */
function isWritten(file: string, { content, isExecutable }: FileRecord): boolean {
  const part = path.join(path.dirname(file), `.${path.basename(file).slice(0, 200)}.${process.pid}.part`);
  try {
    // A link in its place is removed, and never written through.
    rmSync(part, { force: true });
    writeFileSync(part, content, { flag: "wx", mode: isExecutable ? 0o777 : 0o666 });
    renameSync(part, file);
    return true;
  } catch {
    rmSync(part, { force: true });
    return false;
  }
}

function tell({ onBytes, onFile }: Transfer, bytes: number): void {
  onBytes?.(bytes);
  onFile?.();
}
