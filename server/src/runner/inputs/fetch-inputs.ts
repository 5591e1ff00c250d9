import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { fewAtOnce } from "#plumbing/few-at-once";
import { counted } from "#plumbing/text/counted";
import { humanSize } from "#plumbing/text/human-size";
import { expandInputs, type OneInput } from "#runner/inputs/expand-inputs";
import { type ContentContext, fetchContent } from "#runner/inputs/fetch-content";
import { InputProgress } from "#runner/inputs/input-progress";
import { secretNamed, type UserSecrets } from "#runner/jobs/user-secrets";
import type { RecordedEvent } from "#runner/turn/record";
import type { Connection } from "#store/database/database";
import { earlierInputsIn, maybeInputsOf } from "#store/runs/run-inputs";
import type { Run } from "#store/runs/runs";
import type { DataSource } from "#workflow/data-source";
import { INPUTS_FETCHED } from "#workflow/run/event-kinds";
import type { FetchedInput, FetchedInputs } from "#workflow/run/fetched-inputs";
import { type RemoteInput, shownAddress } from "#workflow/specification/remote-inputs";
import type { KnownContent } from "#workspace/contents/content-store";
import type { Workspace } from "#workspace/workspace";
import type { Workspaces } from "#workspace/workspaces";

/** Space for arriving files in the quota of a user. */
export interface InputRoom {
  take(bytes: number, path: string): Promise<void>;
  close(hasArrived: boolean): void;
}

/** The parts of a server that fetch inputs. */
export interface InputParts extends Pick<ContentContext, "contents"> {
  readonly source: Pick<DataSource, "ask" | "list">;
  readonly openRoom: (ownerId: string) => Promise<InputRoom>;
}

export interface FetchInputsContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly workspaces: Pick<Workspaces, "of">;
  readonly secrets?: UserSecrets;
  /** If absent, the server fetches nothing. */
  readonly inputs?: InputParts;
}

export interface FetchInputsRequest {
  readonly inputs: readonly RemoteInput[];
  /** Called with a sentence about what the run waits for. */
  readonly onWaiting: (sentence: string) => void;
  /** Throws if another server drives the run. Called before anything reaches the workspace. */
  readonly assertLease: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Limit on concurrent downloads of one run. */
const AT_ONCE = 8;

/**
 * Fetches the inputs of a run that are addresses, and puts them into its workspace: all of them are fetched before the
 * first is put in place. Returns the event to record; undefined if it is recorded already. Throws a `Refusal` with the reason of a failure.
 */
export async function maybeFetchInputs(
  context: FetchInputsContext,
  run: Run,
  request: FetchInputsRequest,
): Promise<RecordedEvent | undefined> {
  const { db, inputs: parts } = context;
  if (await maybeInputsOf(db, run.id)) return undefined;
  if (!parts) throw new Refusal("not-implemented", "This server fetches no inputs from addresses.");
  const holds: (() => void)[] = [];
  const room = await parts.openRoom(run.ownerId);
  let hasArrived = false;
  try {
    const secretOf = await secretsOf(context, run, request.inputs);
    const all = await expandInputs({ ...parts, clock: context.clock }, { ...request, secretOf });
    const contents = await fetchAll(context, parts, run, { ...request, all, secretOf }, room);
    holds.push(...contents.map(({ sha256 }) => parts.contents.hold(sha256)));
    crashPoint("inputs-fetched");
    const inputs = all.map(({ input }) => input);
    await placeAll(context, parts, run, { ...request, inputs }, contents);
    hasArrived = true;
    crashPoint("inputs-placed");
    await parts.contents.sweep();
    return eventOf(inputs.map((input, index) => recordOf(input, contents[index]!)));
  } finally {
    for (const release of holds) release();
    room.close(hasArrived);
  }
}

interface FetchAllRequest extends Pick<FetchInputsRequest, "onWaiting" | "signal"> {
  readonly all: readonly OneInput[];
  readonly secretOf: (input: RemoteInput) => Buffer | undefined;
}

async function fetchAll(
  context: FetchInputsContext,
  parts: InputParts,
  run: Run,
  { all: inputs, secretOf, onWaiting, signal }: FetchAllRequest,
  room: InputRoom,
): Promise<KnownContent[]> {
  const progress = new InputProgress(
    inputs.map(({ input }) => input),
    context.clock,
    onWaiting,
  );
  // The first failure ends the others.
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const inTurn = fewAtOnce(AT_ONCE);
  const one = async ({ input, listed }: OneInput, index: number) => {
    both.throwIfAborted();
    const content = await fetchContent(
      { ...parts, clock: context.clock },
      {
        input,
        listed,
        ownerId: run.ownerId,
        secret: secretOf(input),
        signal: both,
        async onBytes(count) {
          await room.take(count, input.path);
          progress.arrived(index, count);
        },
        onSize: (bytes, here) => progress.size(index, bytes, here),
        onFault: (sentence) => progress.fault(index, sentence),
      },
    );
    progress.done(index);
    return content;
  };
  const all = inputs.map((input, index) => inTurn(() => one(input, index)));
  const failing = all.map((promise) =>
    promise.catch((error: unknown) => {
      ending.abort(error);
    }),
  );
  await Promise.all(failing);
  signal.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
  return Promise.all(all);
}

/** Returns the values of the named secrets. Refuses a name that the owner has no secret for. */
async function secretsOf(
  { secrets }: FetchInputsContext,
  { ownerId }: Run,
  inputs: readonly RemoteInput[],
): Promise<(input: RemoteInput) => Buffer | undefined> {
  if (inputs.every(({ credentials }) => credentials === undefined)) return () => undefined;
  const all = await secrets?.maybeForJobs(ownerId);
  return ({ credentials, address }) => {
    if (credentials === undefined) return undefined;
    const value = all && secretNamed(all, credentials);
    if (value) return value;
    throw new Refusal(
      "absent",
      `${shownAddress(address)} could not be fetched: its owner has no secret ${credentials}. Add it with ` +
        "reprise secrets add, and start the run again.",
    );
  };
}

async function placeAll(
  { db, workspaces }: FetchInputsContext,
  { contents: store }: InputParts,
  run: Run,
  { inputs, assertLease, signal }: FetchInputsRequest,
  contents: readonly KnownContent[],
): Promise<void> {
  const workspace = workspaces.of(run.workspaceId);
  const earlier = await earlierInputsIn(db, run.workspaceId);
  const isMissing = await Promise.all(
    inputs.map((input, index) => isToPlace(workspace, input, contents[index]!, { earlier, signal })),
  );
  await assertLease();
  const inTurn = fewAtOnce(AT_ONCE);
  const place = async ({ path }: RemoteInput, { sha256, bytes }: KnownContent) => {
    await workspace.place(path, { file: store.fileOf(sha256), bytes, signal });
    crashPoint("input-placed");
  };
  const missing = inputs.flatMap((input, index) =>
    isMissing[index] ? [inTurn(() => place(input, contents[index]!))] : [],
  );
  // A file that is still being placed must not outlive a failure.
  await Promise.allSettled(missing);
  await Promise.all(missing);
}

/** Returns whether a file is to be put in place. Refuses to replace a file that no run has fetched. */
async function isToPlace(
  workspace: Workspace,
  { path, address }: RemoteInput,
  { sha256, bytes }: KnownContent,
  { earlier, signal }: { readonly earlier: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<boolean> {
  const files = workspace.forRun(signal);
  const there = await files.look(path);
  if (there.kind === "absent") return true;
  if (there.kind === "file") {
    if (there.bytes === bytes || earlier.size > 0) {
      const { digest } = await files.digest(path, "sha256");
      if (digest === sha256) return false;
      if (earlier.has(`${path}\n${digest}`)) return true;
    }
  }
  throw new Refusal(
    "conflict",
    `${shownAddress(address)} cannot be stored as ${path}: another ${there.kind} of that name is in the workspace. ` +
      "Delete it, or give the input another path.",
  );
}

function recordOf({ path, address }: RemoteInput, { bytes, sha256, validator }: KnownContent): FetchedInput {
  return { path, address: shownAddress(address), bytes, sha256, validator: validator ?? null };
}

function eventOf(files: readonly FetchedInput[]): RecordedEvent {
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
  const line = `Fetched ${counted(files.length, "input")} (${humanSize(bytes)}).`;
  const body: FetchedInputs = { files };
  return { kind: INPUTS_FETCHED, body, lines: [{ logger: "root", level: "INFO", line }] };
}
