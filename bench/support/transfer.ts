import http from "node:http";
import { once } from "node:events";

const CHUNK = Buffer.alloc(1 << 20, "reprise ");

/** Posts this many bytes of filler; calls `onProgress` after each chunk. */
export async function upload(
  url: string,
  bytes: number,
  onProgress?: (sent: number) => Promise<void>,
): Promise<void> {
  const headers = { "content-type": "application/octet-stream", "content-length": bytes };
  const request = http.request(url, { method: "POST", headers });
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  for (let sent = 0; sent < bytes; sent += CHUNK.length) {
    const more = request.write(CHUNK.subarray(0, Math.min(CHUNK.length, bytes - sent)));
    if (!more) await once(request, "drain");
    await onProgress?.(sent);
  }
  request.end();
  const [response] = await answered;
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`The upload was answered with ${response.statusCode}.`);
}

/** Reads a response and discards it. Returns the number of bytes. */
export async function download(url: string): Promise<number> {
  const [response] = (await once(http.get(url), "response")) as [http.IncomingMessage];
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  return bytes;
}

export async function createRun(url: string, token: string): Promise<string> {
  const specification = { workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } } };
  const response = await fetch(`${url}/api/workflows?access_token=${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(specification),
  });
  return ((await response.json()) as { workflow_id: string }).workflow_id;
}
