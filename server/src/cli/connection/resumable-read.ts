import type { RepriseClient } from "reprise-sdk";

/** Number of connection failures without a byte in between after which a read is given up. */
const FAILURES_WITHOUT_PROGRESS_MAX = 5;

interface RemoteContent {
  readonly content: AsyncIterable<Uint8Array>;
  readonly isExecutable: boolean;
}

/**
 * Reads the bytes at an address. If the connection fails, the rest is requested, provided that the file has not
 * changed.
 */
export async function readResumably(client: RepriseClient, address: string): Promise<RemoteContent> {
  const first = await client.send(address);
  const isExecutable = first.headers.get("reprise-executable") === "true";
  return { content: resumableContent(client, address, first), isExecutable };
}

async function* resumableContent(
  client: RepriseClient,
  address: string,
  first: Response,
): AsyncGenerator<Uint8Array, void, undefined> {
  const etag = first.headers.get("etag");
  let [answer, at, failures] = [first, 0, 0];
  for (;;) {
    try {
      for await (const chunk of answer.body ?? []) {
        yield chunk;
        at += chunk.length;
        failures = 0;
      }
      return;
    } catch (failure) {
      failures += 1;
      if (etag === null || failures > FAILURES_WITHOUT_PROGRESS_MAX) throw failure;
      answer = await client.send(address, { headers: { range: `bytes=${at}-`, "if-range": etag } });
      // The file was replaced, and the response starts from the beginning of the file.
      if (at > 0 && answer.status !== 206) throw failure;
    }
  }
}
