import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { messageOf, Refusal } from "#plumbing/errors";
import { fewAtOnce } from "#plumbing/few-at-once";
import { counted } from "#plumbing/text/counted";
import { untilDone } from "#runner/jobs/until-done";
import { contentOf, withDigest } from "#runner/outputs/outgoing-file";
import type { DataStore, StorePlace, TryAgain } from "#workflow/data-store";
import type { PublishedFile, PublishedOutputs, UnpublishedOutputs } from "#workflow/run/published-outputs";
import type { Results } from "#workflow/run/results";
import type { OutputDestination } from "#workflow/specification/output-destination";
import type { Workspace } from "#workspace/workspace";

export interface PublishContext {
  readonly store: DataStore;
  readonly clock: Clock;
}

export interface PublishRequest {
  readonly runId: string;
  readonly destination: OutputDestination;
  readonly secret: Buffer | undefined;
  readonly workspace: Workspace;
  /** The outputs as recorded at the end of the run. */
  readonly results: Results;
  /** Called with a sentence about the progress. */
  readonly onWaiting: (sentence: string) => void;
  /** Called with the number of files that are at the destination. */
  readonly onPublished?: (count: number) => void;
  readonly signal: AbortSignal;
}

export type Publication =
  | { readonly isWhole: true; readonly outputs: PublishedOutputs }
  | { readonly isWhole: false; readonly outputs: UnpublishedOutputs };

/** Limit on concurrent uploads of one run. */
const AT_ONCE = 8;
/** Limit on the pages of a listing of what earlier attempts have published. A run has at most 10 pages of outputs. */
const PAGES_MAX = 20;
const SAID_EVERY_MS = 1000;

/**
 * Publishes the outputs of a run: all files under `prefix/ID/`, then the manifest `prefix/ID.json`. A reader who finds
 * the manifest finds all files. The keys and contents are the same each time, so a repetition after a crash or a
 * failure stores only the missing objects.
 */
export async function publishOutputs(context: PublishContext, request: PublishRequest): Promise<Publication> {
  const { destination, runId, results } = request;
  const base = `${destination.prefix}${runId}`;
  const folder = `s3://${destination.bucket}/${base}/`;
  const published: PublishedFile[] = [];
  try {
    if (results.isCut) throw new Refusal("too-large", "the run has more outputs than can be recorded");
    await publishAll(context, request, `${base}/`, published);
    crashPoint("outputs-uploaded");
    const outputs = { folder, manifest: `s3://${destination.bucket}/${base}.json`, files: sorted(published) };
    await putManifest(context, request, `${base}.json`, outputs);
    crashPoint("manifest-uploaded");
    return { isWhole: true, outputs };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const there = new Set(published.map(({ path }) => path));
    const missing = results.files.map(({ path }) => path).filter((path) => !there.has(path));
    return {
      isWhole: false,
      outputs: { folder, published: sorted(published), missing, reason: messageOf(error) },
    };
  }
}

async function publishAll(
  context: PublishContext,
  request: PublishRequest,
  base: string,
  published: PublishedFile[],
): Promise<void> {
  const { results, signal } = request;
  // After a failure no further request begins. Requests under way complete, so the account is true.
  const ending = new AbortController();
  const begin = AbortSignal.any([signal, ending.signal]);
  const there = await storedKeys(context, request, base);
  const progress = saying(context.clock, request, published);
  const inTurn = fewAtOnce(AT_ONCE);
  const one = async (path: string) => {
    begin.throwIfAborted();
    const key = base + path;
    published.push(await publishFile(context, request, { path, key, maybeThere: there.has(key), begin }));
    request.onPublished?.(published.length);
    crashPoint("output-uploaded");
    progress();
  };
  const all = results.files.map(({ path }) =>
    inTurn(() => one(path)).catch((error: unknown) => ending.abort(error)),
  );
  await Promise.all(all);
  signal.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
}

/** Returns the keys that earlier attempts have stored. Keys of a service that may only write list nothing. */
async function storedKeys(
  { store, clock }: PublishContext,
  { destination, secret, onWaiting, signal }: PublishRequest,
  prefix: string,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  let after: string | undefined;
  try {
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const question = { place: destination, secret, prefix, isFlat: false, after, signal };
      const page = await untilDone({ clock, signal, onFault: onWaiting }, () => store.list(question));
      for (const { key } of page.objects) keys.add(key);
      if (page.next === undefined) break;
      after = page.next;
    }
  } catch (error) {
    if (!(error instanceof Refusal && error.kind === "forbidden")) throw error;
  }
  return keys;
}

interface OneFile {
  readonly path: string;
  readonly key: string;
  /** True if an earlier attempt has stored an object of this key. */
  readonly maybeThere: boolean;
  /** Aborts when no further request is to begin. */
  readonly begin: AbortSignal;
}

async function publishFile(
  { store, clock }: PublishContext,
  { destination, secret, workspace, results, onWaiting, signal }: PublishRequest,
  { path, key, maybeThere, begin }: OneFile,
): Promise<PublishedFile> {
  const found = await workspace.find(path);
  if (found.kind !== "file")
    throw new Refusal("malformed", `${path} is a link to a folder, which is not published.`);
  const { file } = found;
  try {
    const recorded = results.files.find((one) => one.path === path)?.sha256;
    const content = await withDigest(file, recorded ?? undefined, signal);
    const place: StorePlace = { destination, secret, key, signal };
    const tryAgain = tryingAgain({ clock, signal: begin, onFault: onWaiting });
    const known = maybeThere ? await tryAgain(() => store.maybeSha256(place)) : undefined;
    if (known !== content.sha256) await store.put(place, content, tryAgain);
    return { path, bytes: content.bytes, sha256: content.sha256 };
  } finally {
    await file.close();
  }
}

async function putManifest(
  { store, clock }: PublishContext,
  { destination, secret, runId, onWaiting, signal }: PublishRequest,
  key: string,
  { files }: PublishedOutputs,
): Promise<void> {
  const text = `${JSON.stringify({ run: runId, files }, undefined, 1)}\n`;
  const tryAgain = tryingAgain({ clock, signal, onFault: onWaiting });
  await store.put({ destination, secret, key, signal }, contentOf(Buffer.from(text)), tryAgain);
}

/** Wraps results, because `untilDone` repeats work without a result. */
function tryingAgain(trying: Parameters<typeof untilDone>[0]): TryAgain {
  const attempt = async <Result>(work: () => Promise<Result>) => {
    trying.signal.throwIfAborted();
    return { result: await work() };
  };
  return async (work) => (await untilDone(trying, () => attempt(work))).result;
}

/** Returns a function that says how many outputs are published, at most once a second. */
function saying(
  clock: Clock,
  { results, onWaiting }: PublishRequest,
  published: readonly PublishedFile[],
): () => void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.elapsedMs() - saidAtMs < SAID_EVERY_MS) return;
    saidAtMs = clock.elapsedMs();
    onWaiting(`It publishes ${counted(results.files.length, "output")}: ${published.length} are stored.`);
  };
}

function sorted(files: readonly PublishedFile[]): PublishedFile[] {
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
