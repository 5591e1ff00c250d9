import type { RepriseClient } from "reprise-sdk";

/** What breaks goes on as long as it gets somewhere: so many breaks without a byte in between are the end. */
const BARREN_BREAKS_MAX = 5;

interface RemoteContent {
  readonly content: AsyncIterable<Uint8Array>;
  readonly isExecutable: boolean;
}

/**
 * Reads the bytes at an address. Where the connection breaks, the rest is asked for, as long as the file is still the
 * same one.
 */
export async function readOn(client: RepriseClient, address: string): Promise<RemoteContent> {
  const first = await client.send(address);
  const isExecutable = first.headers.get("reprise-executable") === "true";
  return { content: goOn(client, address, first), isExecutable };
}

async function* goOn(
  client: RepriseClient,
  address: string,
  first: Response,
): AsyncGenerator<Uint8Array, void, undefined> {
  const etag = first.headers.get("etag");
  let [answer, at, barren] = [first, 0, 0];
  for (;;) {
    try {
      for await (const chunk of answer.body ?? []) {
        yield chunk;
        at += chunk.length;
        barren = 0;
      }
      return;
    } catch (failure) {
      barren += 1;
      if (etag === null || barren > BARREN_BREAKS_MAX) throw failure;
      answer = await client.send(address, { headers: { range: `bytes=${at}-`, "if-range": etag } });
      // It is another file by now, from its beginning.
      if (at > 0 && answer.status !== 206) throw failure;
    }
  }
}
