import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { RepriseClient } from "./index.ts";

export interface Upload {
  /** UUID or name of the workflow. */
  readonly workflow: string;
  /** Where it goes inside the workspace. */
  readonly name: string;
  /** The file on this machine. */
  readonly file: string;
  /** Told how many bytes more have gone. */
  readonly onBytes?: (count: number) => void;
}

/** A file that is sent as it is read in memory, so that it can be sent again when no answer comes. */
const WHOLE_BYTES_MAX = 8 << 20;

/** Puts a file into a workspace, in the place of one that is there. Answers its size. */
export async function uploadFile(client: RepriseClient, upload: Upload): Promise<number> {
  const { size } = await stat(upload.file);
  return size <= WHOLE_BYTES_MAX ? sendWhole(client, upload) : sendStream(client, upload);
}

async function sendWhole(client: RepriseClient, upload: Upload): Promise<number> {
  const content = new Uint8Array(await readFile(upload.file));
  await client.send(address(upload), { method: "POST", headers: BYTES, body: content });
  upload.onBytes?.(content.length);
  return content.length;
}

async function sendStream(client: RepriseClient, upload: Upload): Promise<number> {
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

const BYTES = { "content-type": "application/octet-stream" };

function address({ workflow, name }: Upload): string {
  return `/api/workflows/${encodeURIComponent(workflow)}/workspace?file_name=${encodeURIComponent(name)}`;
}
