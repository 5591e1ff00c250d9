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
  /** Inside the workspace. */
  readonly name: string;
  /** On this machine. */
  readonly file: string;
  /** Its size, as far as is known. */
  readonly bytes: number;
}

export interface Transfer {
  /** UUID or name of the workflow. */
  readonly workflow: string;
  readonly files: readonly TransferredFile[];
  /** Told how many bytes more have been transferred. */
  readonly onBytes?: (count: number) => void;
  /** Told of how many bytes more the checksum is known: a large file is read once before it is sent. */
  readonly onChecked?: (count: number) => void;
  /** Told after each file. */
  readonly onFile?: () => void;
  /** Once aborted, nothing more is begun: it ends with the signal's reason after what is under way. */
  readonly signal?: AbortSignal;
}

const FILES = "/api/workflows/{workflow_id_or_name}/files";
/** What a server takes together with others; larger files go by themselves. */
const SMALL_MAX_BYTES = 1 << 20;
/** Of a batch: it is kept in memory, and sent again when no answer comes. */
const BATCH_MAX_BYTES = 4 << 20;
const BATCH_MAX_FILES = 100;
/** In an address, as it is sent. */
const BATCH_MAX_NAME_CHARS = 6000;
const BATCHES_AT_ONCE = 4;
/** Enough to hide how long one answer takes, few enough for any server. */
const FILES_AT_ONCE = 16;

/** Puts files into a workspace, small ones many at a time. */
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

/** Fetches files, small ones many at a time; each is whole or absent. */
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
    await downloadFile(client, { workflow: transfer.workflow, name, target: file, ...told(transfer) });
    transfer.onFile?.();
  });
}

function told({ onBytes, onChecked }: Transfer): Pick<Transfer, "onBytes" | "onChecked"> {
  return { ...(onBytes && { onBytes }), ...(onChecked && { onChecked }) };
}

function bySize(files: readonly TransferredFile[]) {
  const small = files.filter(({ bytes }) => bytes <= SMALL_MAX_BYTES);
  // Two are no crowd.
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

/** False when the server does not take them so: it may know nothing of it, or a file has grown meanwhile. */
async function sendBatch(
  client: RepriseClient,
  transfer: Transfer,
  batch: readonly TransferredFile[],
): Promise<boolean> {
  const records = await Promise.all(
    // The mode by a synchronous call: a switch of threads costs 20 times as much.
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

/** Answers those that did not come: each is then asked for by itself, and said why it cannot be had. */
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
    // It broke off, or the server knows nothing of it.
  }
  return [...left.values()];
}

/**
 * Under its name it is never seen in parts. What keeps it from being written is said when it is tried by itself. By
 * synchronous calls: four switches of threads would cost more than a small file does.
 */
function isWritten(file: string, { content, isExecutable }: FileRecord): boolean {
  const part = path.join(path.dirname(file), `.${path.basename(file).slice(0, 200)}.${process.pid}.part`);
  try {
    writeFileSync(part, content, { mode: isExecutable ? 0o777 : 0o666 });
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
