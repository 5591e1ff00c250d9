import { counted } from "#plumbing/text/counted";
import { humanSize } from "#plumbing/text/human-size";
import { namedBy } from "#plumbing/text/named-by";
import { printable } from "#plumbing/text/printable";
import type { LogEntry } from "#runner/engine/engine-log";
import { createWaitingNote } from "#runner/jobs/waiting-note";
import { oneSecret, type UserSecrets } from "#runner/jobs/user-secrets";
import { type Publication, type PublishContext, publishOutputs } from "#runner/outputs/publish-outputs";
import { type Inbox, Interrupted } from "#runner/turn/arrivals";
import type { RecordedEvent, RunRecord } from "#runner/turn/record";
import type { Connection } from "#store/database/database";
import type { Lease } from "#store/hosts/leases";
import type { Run } from "#store/runs/runs";
import { OUTPUTS_PUBLISHED, OUTPUTS_UNPUBLISHED, STOPPED } from "#workflow/run/event-kinds";
import type { UnpublishedOutputs } from "#workflow/run/published-outputs";
import type { Results } from "#workflow/run/results";
import { fullName } from "#workflow/run/run-name";
import type { OutputDestination } from "#workflow/specification/output-destination";
import type { Workspaces } from "#workspace/workspaces";

export interface PublishAtEndContext {
  readonly db: Connection;
  readonly clock: PublishContext["clock"];
  readonly workspaces: Pick<Workspaces, "of">;
  readonly secrets?: UserSecrets;
  /** If absent, the server publishes nothing. */
  readonly outputStore?: PublishContext["store"];
}

interface AtEnd {
  /** The unwritten record of the end of the run. */
  readonly record: RunRecord;
  readonly declared: readonly string[];
  readonly destination: OutputDestination | undefined;
  readonly results: Results | undefined;
  readonly lease: Lease;
  readonly inbox: Pick<Inbox, "unlessEnding" | "take">;
}

/** Limit on the lines about outputs that are not published. The event names all of them. */
const NAMED_MAX = 100;

/**
 * Publishes the outputs of a run that finishes, if it has a destination. Returns the record to write: the run fails if
 * not all outputs are published, and is stopped if a stop arrives first. Throws `Interrupted` if this server must leave
 * the run; the next server does the rest.
 */
export async function afterPublishing(
  context: PublishAtEndContext,
  run: Run,
  { record, destination, results, declared, lease, inbox }: AtEnd,
): Promise<RunRecord> {
  if (!destination || record.ending?.do !== "finish") return record;
  const publishing = new AbortController();
  const note = createWaitingNote(context.db, { runId: run.id, lease });
  const isDeclared = namedBy(declared);
  const files = (results?.files ?? []).filter(({ path }) => isDeclared(path));
  const work = publishRun(context, run, {
    destination,
    results: { files, isCut: results?.isCut ?? false },
    onWaiting: (sentence) => note.say(sentence),
    signal: publishing.signal,
  });
  try {
    const publication = await inbox.unlessEnding(work);
    await note.clear();
    return withPublication(record, run, publication);
  } catch (error) {
    publishing.abort();
    await work.catch(() => undefined);
    if (!(error instanceof Interrupted)) throw error;
    const [arrived] = await inbox.take(1);
    if (arrived?.kind === "stop") return stopped(record);
    if (arrived?.kind === "hopeless") return failed(record, arrived.reason, []);
    throw error;
  }
}

interface PublishRun {
  readonly destination: OutputDestination;
  readonly results: Results;
  readonly onWaiting: (sentence: string) => void;
  readonly onPublished?: (count: number) => void;
  readonly signal: AbortSignal;
}

/** Publishes the recorded outputs of a run with the secret of its owner. */
export async function publishRun(
  { outputStore: store, clock, secrets, workspaces }: PublishAtEndContext,
  run: Pick<Run, "id" | "ownerId" | "workspaceId">,
  request: PublishRun,
): Promise<Publication> {
  const { destination, results } = request;
  const nothing = (reason: string): Publication => ({
    isWhole: false,
    outputs: {
      folder: destination.address,
      published: [],
      missing: results.files.map(({ path }) => path),
      reason,
    },
  });
  if (!store) return nothing("This server publishes no outputs.");
  const secret = await oneSecret(secrets, run.ownerId, destination.credentials);
  if (destination.credentials !== undefined && !secret)
    return nothing(
      `The owner of the run has no secret ${destination.credentials}. Add it with reprise secrets add.`,
    );
  const workspace = workspaces.of(run.workspaceId);
  return publishOutputs({ store, clock }, { ...request, runId: run.id, secret, workspace });
}

/** Returns the event about a publication. */
export function publicationEvent(run: Run, { isWhole, outputs }: Publication): RecordedEvent {
  if (!isWhole) return { kind: OUTPUTS_UNPUBLISHED, body: outputs, lines: linesAbout(outputs) };
  const bytes = outputs.files.reduce((sum, file) => sum + file.bytes, 0);
  const line = `Published ${counted(outputs.files.length, "output")} (${humanSize(bytes)}) of ${nameOf(run)} in ${outputs.folder}, with the manifest ${outputs.manifest}.`;
  return { kind: OUTPUTS_PUBLISHED, body: outputs, lines: [{ logger: "root", level: "INFO", line }] };
}

/** Returns a sentence about a publication that is not whole, and what to do next. */
export function unpublishedSentence(
  run: Run,
  { folder, published, missing, reason }: UnpublishedOutputs,
): string {
  const all = published.length + missing.length;
  return (
    `The outputs were not published: ${published.length} of ${all} are in ${printable(folder, 500)}, and ` +
    `${missing.length} are not. ${reason.replace(/[^.]$/, "$&.")} ` +
    `Continue with reprise publish-outputs ${nameOf(run)}.`
  );
}

function withPublication(record: RunRecord, run: Run, publication: Publication): RunRecord {
  const event = publicationEvent(run, publication);
  if (publication.isWhole) return { ...record, events: [...record.events, event] };
  return failed(record, unpublishedSentence(run, publication.outputs), [event]);
}

function failed(record: RunRecord, reason: string, events: readonly RecordedEvent[]): RunRecord {
  const line: LogEntry = { logger: "root", level: "ERROR", line: reason };
  const [first, ...others] = [...record.events, ...events];
  const all = first ? [{ ...first, lines: [...first.lines, line] }, ...others] : [];
  return { ...record, events: all, ending: { do: "fail", reason } };
}

function stopped({ ending: _, ...record }: RunRecord): RunRecord {
  const line: LogEntry = { logger: "root", level: "INFO", line: "The run was stopped." };
  const event = { kind: STOPPED, body: { ended: [] }, lines: [line] };
  return { ...record, events: [...record.events, event], moveTo: "stopped" };
}

function linesAbout({ missing }: UnpublishedOutputs): LogEntry[] {
  const named = missing.slice(0, NAMED_MAX).map((path) => `Not published: ${printable(path, 500)}`);
  const more = missing.length - named.length;
  if (more > 0) named.push(`Not published: ${more} more.`);
  return named.map((line) => ({ logger: "root", level: "ERROR", line }));
}

function nameOf({ name, runMajor, runMinor }: Run): string {
  return fullName(name, runMajor, runMinor);
}
