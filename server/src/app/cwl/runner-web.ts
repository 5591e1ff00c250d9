import { Refusal } from "#plumbing/errors";
import { ANY_HOST, fetchFile, openDocumentSource } from "#sources/fetch-document";

const TEXT_MAX_BYTES = 16 << 20;
const TEXT_MAX_MS = 30_000;

const web = openDocumentSource(ANY_HOST);

/** Returns a document on the web. Throws an error whose message names the address. */
export function fetchText(address: string): Promise<string> {
  return inTime(address, TEXT_MAX_MS, (signal) => web.fetch(address, TEXT_MAX_BYTES, signal));
}

export interface FetchLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
  readonly stop: AbortSignal;
}

/** Copies a file on the web into a new file. Throws an error whose message names the address. */
export function fetchTo(
  file: string,
  address: string,
  { maxBytes, maxMs, stop }: FetchLimits,
): Promise<void> {
  return inTime(address, maxMs, (signal) =>
    fetchFile(address, { file, maxBytes, signal: AbortSignal.any([stop, signal]) }),
  );
}

async function inTime<Result>(
  address: string,
  maxMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const time = AbortSignal.timeout(maxMs);
  try {
    return await work(time);
  } catch (error) {
    if (error !== time.reason) throw error;
    // The query of an address may hold a token.
    const { origin, pathname } = new URL(address);
    const message = `${origin}${pathname} could not be read within ${maxMs / 1000} s. Try again, or name a copy of it.`;
    throw new Refusal("unavailable", message, { cause: error });
  }
}
