import { createHash } from "node:crypto";
import type { Outgoing } from "#sources/data/s3-requests";
import type { OutgoingContent } from "#workflow/data-store";

/** Returns a part of some content as the body of a request. Reads the part for its checksum, which is sent first. */
export async function digestedRange(content: OutgoingContent, start: number, end: number): Promise<Outgoing> {
  const hash = createHash("sha256");
  for await (const chunk of content.range(start, end)) hash.update(chunk);
  return { bytes: end - start, sha256: hash.digest("hex"), chunks: () => content.range(start, end) };
}

export function bufferedBody(text: string): Outgoing {
  const body = Buffer.from(text);
  return {
    bytes: body.length,
    sha256: createHash("sha256").update(body).digest("hex"),
    async *chunks() {
      yield body;
    },
  };
}
