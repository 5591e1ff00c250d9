import { createHash } from "node:crypto";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { humanSize } from "#plumbing/text/human-size";
import { untilDone } from "#runner/jobs/until-done";
import type { DataAnswer, DataSource, ListedObject } from "#workflow/data-source";
import { type RemoteInput, shownAddress } from "#workflow/specification/remote-inputs";
import type { ContentStore, KnownContent } from "#workspace/contents/content-store";

export interface ContentContext {
  readonly source: Pick<DataSource, "ask">;
  readonly contents: ContentStore;
  readonly clock: Clock;
}

export interface ContentRequest {
  readonly input: RemoteInput;
  readonly ownerId: string;
  /** The object as a listing has just shown it. */
  readonly listed?: ListedObject | undefined;
  /** The value of the secret that the input names. */
  readonly secret: Buffer | undefined;
  /** Called before bytes are stored. It may refuse. */
  readonly onBytes: (count: number) => Promise<void>;
  /** Called with the size of the content, as soon as it is known, and with the bytes that are there already. */
  readonly onSize: (bytes: number | undefined, here: number) => void;
  /** Called with a sentence when an attempt has failed and another one follows. */
  readonly onFault: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Fetches what is at an address into the store, unless the store has it and the other side says that it is unchanged.
 * Tries again after faults that may pass, and continues where a download broke off.
 */
export function fetchContent(context: ContentContext, request: ContentRequest): Promise<KnownContent> {
  const key = keyOf(request);
  return context.contents.exclusively(key, request.signal, () => fetchAlone(context, request, key));
}

function fetchAlone(context: ContentContext, request: ContentRequest, key: string): Promise<KnownContent> {
  const { clock } = context;
  const { signal, onFault } = request;
  return untilDone({ clock, signal, onFault }, (advanced) => {
    const onBytes = async (count: number) => {
      await request.onBytes(count);
      advanced();
    };
    return attempt(context, { ...request, onBytes }, key);
  });
}

/**
 * Identifies an address in the store. Content that was fetched with credentials is found again by its owner alone,
 * and only with the same secret.
 */
function keyOf({ input, ownerId }: Pick<ContentRequest, "input" | "ownerId">): string {
  const { address, credentials, endpoint, region } = input;
  const scope = credentials === undefined ? null : { ownerId, credentials };
  const identity = JSON.stringify([scope, address, endpoint ?? null, region ?? null]);
  return createHash("sha256").update(identity).digest("hex");
}

/** Returns undefined if the part of an earlier attempt is of no use, and is gone. */
async function attempt(
  { source, contents }: ContentContext,
  request: ContentRequest,
  key: string,
): Promise<KnownContent | undefined> {
  const { input, secret, signal, onSize, onBytes } = request;
  const known = await contents.maybeKnown(key);
  if (known && isStillThere(known, request)) return used(contents, key, known, onSize);
  const from = await contents.maybePart(key);
  const answer = await source.ask({
    input,
    secret,
    signal,
    ...(from ? { from } : { knownAs: known?.validator }),
  });
  if (answer.kind === "unchanged") return used(contents, key, known!, onSize);
  if (answer.kind === "changed") {
    await contents.discard(key);
    return undefined;
  }
  onSize(answer.bytes, answer.from);
  crashPoint("input-asked");
  const received = await contents.receive({ ...answer, key, validator: validatorOfPart(answer), onBytes });
  await check(contents, key, { input, answer, received });
  const content = { ...received, validator: answer.validator };
  await contents.keep(key, content);
  return content;
}

/** Returns whether known content needs no question: the checksum is given, or a listing shows it unchanged. */
function isStillThere(known: KnownContent, { input, listed }: ContentRequest): boolean {
  if (known.sha256 === input.sha256) return true;
  return (
    listed?.validator !== undefined && listed.validator === known.validator && listed.bytes === known.bytes
  );
}

async function used(
  contents: ContentStore,
  key: string,
  known: KnownContent,
  onSize: ContentRequest["onSize"],
): Promise<KnownContent> {
  onSize(known.bytes, known.bytes);
  await contents.touch(key);
  return known;
}

type Content = Extract<DataAnswer, { kind: "content" }>;

/** A weak tag does not promise the same bytes, and a time may be too coarse. */
function validatorOfPart({ validator }: Content): string | undefined {
  return validator?.startsWith('"') ? validator : undefined;
}

/** Discards content with a wrong size or checksum. */
async function check(
  contents: ContentStore,
  key: string,
  {
    input,
    answer,
    received,
  }: {
    readonly input: RemoteInput;
    readonly answer: Content;
    readonly received: { readonly sha256: string; readonly bytes: number };
  },
): Promise<void> {
  const address = shownAddress(input.address);
  if (answer.bytes !== undefined && received.bytes < answer.bytes)
    throw new PassingFault(
      `${address} could not be fetched: the connection ended after ${humanSize(received.bytes)} of ${humanSize(answer.bytes)}.`,
    );
  if (answer.sha256 !== undefined && answer.sha256 !== received.sha256) {
    await contents.discard(key);
    throw new PassingFault(
      `${address} could not be fetched: its bytes differ from the checksum that the server states.`,
    );
  }
  if (input.sha256 === undefined || input.sha256 === received.sha256) return;
  await contents.discard(key);
  throw new Refusal(
    "conflict",
    `${address} has the SHA-256 ${received.sha256}, and the specification expects ${input.sha256}. ` +
      "Nothing of it is kept. Correct the checksum, or the address.",
  );
}
