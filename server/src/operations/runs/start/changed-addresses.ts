import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import { messageOf, Refusal } from "#plumbing/errors";
import { fewAtOnce } from "#plumbing/few-at-once";
import { PassingFault } from "#plumbing/passing-fault";
import { counted } from "#plumbing/text/counted";
import { expandInputs, type OneInput } from "#runner/inputs/expand-inputs";
import { oneSecret } from "#runner/jobs/user-secrets";
import { maybeInputsOf } from "#store/runs/run-inputs";
import type { Run } from "#store/runs/runs";
import type { DataSource } from "#workflow/data-source";
import type { FetchedInput } from "#workflow/run/fetched-inputs";
import { type RemoteInput, remoteInputsOf, shownAddress } from "#workflow/specification/remote-inputs";

type AddressContext = Pick<RunServices, "db" | "clock" | "secrets" | "inputSource">;

/** Limit on the time for questions to other servers. */
const ASKING_MAX_MS = 10_000;
const AT_ONCE = 8;
/** Limit on single addresses. A listing covers all objects of a folder. */
const ASKED_MAX = 100;
const NAMED_MAX = 3;

/**
 * Asks the addresses whether they still hold what a run has fetched. Returns a sentence about the changed ones, and
 * undefined if nothing has changed. A restart fetches changed content again.
 */
export async function maybeChangedAddresses(
  context: AddressContext,
  previous: Run,
  inputs: unknown,
  signal: AbortSignal,
): Promise<string | undefined> {
  const declared = remoteInputsOf(inputs);
  const recorded = declared.length > 0 ? await maybeInputsOf(context.db, previous.id) : undefined;
  if (!recorded || !context.inputSource) return undefined;
  const asking = new AbortController();
  const callOff = context.clock.after(ASKING_MAX_MS, () =>
    asking.abort(new Refusal("unavailable", "no answer came in time.")),
  );
  try {
    const both = AbortSignal.any([signal, asking.signal]);
    const changed = await changedIn(context, context.inputSource, previous, {
      declared,
      recorded: recorded.files,
      signal: both,
    });
    return changed.length > 0 ? sentenceAbout(previous, changed) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Refusal || error instanceof PassingFault)) throw error;
    return `Inputs at addresses could not be checked for changes: ${messageOf(error)}`;
  } finally {
    callOff();
    // Ends unread replies.
    asking.abort();
  }
}

interface Asking {
  readonly declared: readonly RemoteInput[];
  readonly recorded: readonly FetchedInput[];
  readonly signal: AbortSignal;
}

/** Returns the changed, added and removed addresses. */
async function changedIn(
  { clock, secrets }: AddressContext,
  source: Pick<DataSource, "ask" | "list">,
  { ownerId }: Run,
  { declared, recorded, signal }: Asking,
): Promise<string[]> {
  const values = new Map<string | undefined, Buffer | undefined>();
  for (const { credentials } of declared)
    if (!values.has(credentials)) values.set(credentials, await oneSecret(secrets, ownerId, credentials));
  const secretOf = ({ credentials }: RemoteInput) => values.get(credentials);
  const present = await expandInputs(
    { source, clock },
    { inputs: declared, secretOf, onWaiting: () => undefined, signal },
  );
  const byPath = new Map(recorded.map((file) => [file.path, file]));
  const inTurn = fewAtOnce(AT_ONCE);
  let asked = 0;
  const isChanged = async ({ input, listed }: OneInput) => {
    const before = byPath.get(input.path);
    byPath.delete(input.path);
    if (before?.address !== shownAddress(input.address)) return true;
    if (listed) return listed.validator !== before.validator;
    // Content without a tag cannot be proved unchanged. A given checksum proves the content.
    if (before.validator === null || input.sha256 === before.sha256 || (asked += 1) > ASKED_MAX) return false;
    const knownAs = before.validator;
    const { kind } = await inTurn(() => source.ask({ input, secret: secretOf(input), knownAs, signal }));
    return kind !== "unchanged";
  };
  const changes = await Promise.all(present.map(isChanged));
  const changed = present
    .filter((_, index) => changes[index])
    .map(({ input }) => shownAddress(input.address));
  return [...changed, ...Array.from(byPath.values(), ({ address }) => address)];
}

function sentenceAbout(previous: Run, changed: readonly string[]): string {
  const named = changed.slice(0, NAMED_MAX).join(", ");
  const more = changed.length - NAMED_MAX;
  return (
    `${counted(changed.length, "input")} changed at the address after ${fullNameOf(previous)} had fetched ` +
    `${changed.length === 1 ? "it" : "them"}: ` +
    `${named}${more > 0 ? ` and ${more} more` : ""}. A restart fetches changed inputs first, and runs the jobs that read them.`
  );
}
