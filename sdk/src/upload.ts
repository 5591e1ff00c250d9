import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiError } from "./errors.ts";
import type { RepriseClient } from "./index.ts";

export interface Upload {
  /** UUID or name of the workflow. */
  readonly workflow: string;
  /** Target path inside the workspace. */
  readonly name: string;
  /** Local path of the file. */
  readonly file: string;
  /** Called with the number of bytes sent since the last call. */
  readonly onBytes?: (count: number) => void;
  /** Called with the number of bytes hashed since the last call: a large file is read once before it is sent. */
  readonly onChecked?: (count: number) => void;
}

/**
 * Maximum size of a file sent in one request. It is sent from memory, so that the request can be repeated.
 */
const WHOLE_BYTES_MAX = 8 << 20;
/** Most bytes that have to be sent again after a broken connection. */
const PART_BYTES = 4 << 20;

/**
 * Uploads a file to a workspace with its execute bit, replacing an existing file. Returns the size. A large
 * file is sent in parts: after a broken connection, or when called again for the same file, the upload
 * resumes after the bytes that have arrived.
 */
export async function uploadFile(client: RepriseClient, upload: Upload): Promise<number> {
  const { size, mode } = await stat(upload.file);
  const file = { ...upload, size, isExecutable: mayExecute(mode) };
  if (size <= WHOLE_BYTES_MAX) return sendWhole(client, file);
  const session = await maybeBegin(client, file);
  return session ? sendParts(client, upload, session) : sendStream(client, file);
}

interface KnownUpload extends Upload {
  readonly size: number;
  readonly isExecutable: boolean;
}

/** Returns whether any user may execute a file of that mode. */
export function mayExecute(mode: number): boolean {
  return (mode & 0o111) !== 0;
}

async function sendWhole(client: RepriseClient, upload: KnownUpload): Promise<number> {
  const content = new Uint8Array(await readFile(upload.file));
  await client.send(address(upload), { method: "POST", headers: BYTES, body: content });
  upload.onBytes?.(content.length);
  return content.length;
}

interface Session {
  readonly upload_id: string;
  readonly size: number;
  readonly offset: number;
}

/** Returns undefined if the server does not support uploads in parts. */
async function maybeBegin(client: RepriseClient, upload: KnownUpload): Promise<Session | undefined> {
  const { size, isExecutable } = upload;
  const hash = createHash("sha256");
  const source = createReadStream(upload.file, { highWaterMark: 1 << 20 });
  source.on("data", ({ length }) => upload.onChecked?.(length));
  await pipeline(source, hash);
  try {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/uploads", {
      params: { path: { workflow_id_or_name: upload.workflow } },
      body: {
        file_name: upload.name,
        size,
        sha256: hash.digest("hex"),
        ...(isExecutable && { executable: true }),
      },
    });
    return data;
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 405].includes(error.status)) throw error;
    // Either the workflow does not exist, which this request reports, or the server does not support the
    // endpoint.
    await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: { path: { workflow_id_or_name: upload.workflow } },
    });
    return undefined;
  }
}

async function sendParts(client: RepriseClient, upload: Upload, session: Session): Promise<number> {
  const path = { workflow_id_or_name: upload.workflow, upload: session.upload_id };
  const handle = await open(upload.file, "r");
  let { offset } = session;
  upload.onBytes?.(offset);
  try {
    while (offset < session.size) {
      const next = await sendPart(client, upload, { ...session, offset }, handle);
      upload.onBytes?.(next - offset);
      offset = next;
    }
  } finally {
    await handle.close();
  }
  await client.POST("/api/workflows/{workflow_id_or_name}/uploads/{upload}/complete", { params: { path } });
  return session.size;
}

/** Sends one part. Returns the server's offset afterwards, which may differ from the expected offset. */
async function sendPart(
  client: RepriseClient,
  upload: Upload,
  { upload_id: id, offset, size }: Session,
  handle: FileHandle,
): Promise<number> {
  const part = new Uint8Array(Math.min(PART_BYTES, size - offset));
  const { bytesRead } = await handle.read(part, 0, part.length, offset);
  if (bytesRead === 0)
    throw new Error(`${upload.file} became shorter while it was uploaded. Upload it again.`);
  const path = { workflow_id_or_name: upload.workflow, upload: id };
  try {
    const { data } = await client.PUT(SESSION, {
      params: { path, query: { offset } },
      headers: BYTES,
      body: "",
      bodySerializer: () => part.subarray(0, bytesRead),
    });
    return data!.offset;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    return (await client.GET(SESSION, { params: { path } })).data!.offset;
  }
}

async function sendStream(client: RepriseClient, upload: KnownUpload): Promise<number> {
  let sent = 0;
  const source = createReadStream(upload.file, { highWaterMark: 1 << 20 });
  source.on("data", ({ length }) => {
    sent += length;
    upload.onBytes?.(length);
  });
  const body = Readable.toWeb(source) as ReadableStream<Uint8Array>;
  await client.send(address(upload), { method: "POST", headers: BYTES, body });
  return sent;
}

const SESSION = "/api/workflows/{workflow_id_or_name}/uploads/{upload}";
const BYTES = { "content-type": "application/octet-stream" };

function address({ workflow, name, isExecutable }: KnownUpload): string {
  const bit = isExecutable ? "&executable=true" : "";
  return `/api/workflows/${encodeURIComponent(workflow)}/workspace?file_name=${encodeURIComponent(name)}${bit}`;
}
