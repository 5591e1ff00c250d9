import { finished, PassThrough, type Readable } from "node:stream";
import { Refusal } from "#plumbing/errors";

const BUFFERED_BYTES = 1 << 20;

/**
 * Hands the body of a request to `write` behind a stream of its own. A writer that fails destroys what it reads from;
 * if that was the request, its connection would be gone before the client is told why.
 */
export async function detached<Result>(
  body: Readable,
  write: (content: Readable) => Promise<Result>,
): Promise<Result> {
  const content = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  // Who writes it learns of an error when it reads. Before that nobody listens, and it would end the process.
  content.on("error", () => undefined);
  const forget = finished(body, { writable: false }, (error) => {
    if (error) content.destroy(brokenOff(error));
  });
  try {
    return await write(body.pipe(content));
  } finally {
    forget();
    body.unpipe(content);
  }
}

export function brokenOff(cause?: Error): Refusal {
  return new Refusal("malformed", "The upload was broken off before its end. Nothing was kept.", { cause });
}
