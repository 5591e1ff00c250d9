import { ApiError } from "reprise-sdk";
import { client, of, runAddress } from "./client.ts";

/** Maximum size of a file sent in one request. */
const WHOLE_BYTES_MAX = 4 << 20;
/** Most bytes that have to be sent again after a broken connection. */
const PART_BYTES = 4 << 20;
const BYTES = { "content-type": "application/octet-stream" };

interface Upload {
  readonly run: string;
  /** Path in the workspace. */
  readonly name: string;
  readonly file: File;
  /** Called with the number of bytes that the server has. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Uploads a file, replacing an existing one. A large file is sent in parts, as the command does it: what has arrived is
 * not sent again, neither when the connection breaks nor when the same file is dropped a second time.
 */
export async function uploadFile(upload: Upload): Promise<void> {
  if (upload.file.size <= WHOLE_BYTES_MAX) await sendWhole(upload);
  else await sendParts(upload);
  upload.onProgress(upload.file.size);
}

async function sendWhole({ run, name, file }: Upload): Promise<void> {
  const address = runAddress(run, `workspace?file_name=${encodeURIComponent(name)}`);
  await client.send(address, { method: "POST", headers: BYTES, body: await bytesOf(file) });
}

async function sendParts({ run, name, file, onProgress }: Upload): Promise<void> {
  const { sha256Of } = await import("./sha256.ts");
  const body = { file_name: name, size: file.size, sha256: await sha256Of(file) };
  const begun = await client.POST("/api/workflows/{workflow_id_or_name}/uploads", { params: of(run), body });
  const { upload_id: id, offset } = begun.data!;
  for (let at = offset; at < file.size;) {
    onProgress(at);
    at = await sendPart(run, id, at, file);
  }
  await client.POST("/api/workflows/{workflow_id_or_name}/uploads/{upload}/complete", {
    params: { path: { workflow_id_or_name: run, upload: id } },
  });
}

/** Sends one part. Returns the server's offset afterwards, which may differ from the expected offset. */
async function sendPart(run: string, upload: string, offset: number, file: File): Promise<number> {
  const address = runAddress(run, `uploads/${upload}`);
  const part = await bytesOf(file.slice(offset, offset + PART_BYTES));
  try {
    const reply = await client.send(`${address}?offset=${offset}`, {
      method: "PUT",
      headers: BYTES,
      body: part,
    });
    return offsetIn(await reply.json());
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    return offsetIn(await (await client.send(address)).json());
  }
}

function offsetIn(reply: unknown): number {
  return (reply as { offset: number }).offset;
}

async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.arrayBuffer());
}
