import type { Caller } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import type { FileServices } from "#operations/files/services";
import { fullNameOf } from "#operations/full-name";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { namedBy } from "#plumbing/text/named-by";
import { printable } from "#plumbing/text/printable";
import { publicationEvent, unpublishedSentence } from "#runner/outputs/publish-at-end";
import type { Publication } from "#runner/outputs/publish-outputs";
import { type Connection, transaction } from "#store/database/database";
import { notify } from "#store/database/wake-ups";
import { insertRunEvent, maybeFirstEventOf, nextRunEventSeq } from "#store/events/run-events";
import { maybeLiveRunIn } from "#store/runs/restarts";
import { resultsOfRuns } from "#store/runs/run-results";
import { oneDefinition, type Run } from "#store/runs/runs";
import { OUTPUTS_PUBLISHED, OUTPUTS_UNPUBLISHED } from "#workflow/run/event-kinds";
import { isSameResult, type Results } from "#workflow/run/results";
import { isLive } from "#workflow/run/run-status";
import { pathsIn } from "#workflow/specification/declared-paths";
import { destinationOf, type OutputDestination } from "#workflow/specification/output-destination";
import { logLine } from "#runner/engine/engine-log";

type PublishServices = Pick<FileServices, "db" | "clock" | "workspaces" | "latePublications">;

/** How far a publication is. */
export interface PublishState {
  readonly run: Run;
  readonly state: "publishing" | "published" | "unpublished";
  /** The address of the folder of the run. */
  readonly folder: string;
  readonly published: number;
  readonly total: number;
  readonly message: string;
}

/** Time after which a request gets the present state. The next request waits for the same publication. */
const WAIT_MS = 10_000;
const HASHING_MAX_MS = 60_000;
const NAMED_MAX = 3;

/**
 * Publishes the missing outputs of a finished run. Objects at the destination with the right content stay. Waits a while
 * for the end. A second request joins the publication under way.
 */
export async function publishRunOutputs(
  context: PublishServices,
  caller: Caller,
  address: string,
): Promise<PublishState> {
  const { db, clock, latePublications } = context;
  const run = await findWorkspace(context, caller, address, "change");
  const { destination, results } = await publishable(context, run);
  const late = latePublications.join(run, { destination, results }, async (publication) => {
    await recordPublication(db, clock, run, publication);
    crashPoint("publication-recorded");
  });
  const publication = await Promise.race([late.done, waited(clock, WAIT_MS)]);
  if (publication) return stateOf(run, publication);
  const { sentence: message, count: published } = late.progress();
  const { address: folder } = destination;
  return { run, state: "publishing", folder, published, total: results.files.length, message };
}

/** Returns the destination of a run and its outputs, which must be as the run left them. */
async function publishable(
  context: PublishServices,
  run: Run,
): Promise<{ readonly destination: OutputDestination; readonly results: Results }> {
  const { db } = context;
  const { specification } = await oneDefinition(db, run.id);
  const destination = destinationOf(specification.outputs);
  if (!destination)
    throw new Refusal("conflict", `Workflow ${fullNameOf(run)} declares no destination for its outputs.`);
  const live = isLive(run.status) ? run : await maybeLiveRunIn(db, run.workspaceId);
  if (live)
    throw new Refusal(
      "conflict",
      `Outputs of ${fullNameOf(run)} cannot be published while ${fullNameOf(live)} is ${live.status}. Try again when it has ended.`,
    );
  if (run.status !== "finished" && !(await maybeFirstEventOf(db, run.id, OUTPUTS_UNPUBLISHED)))
    throw new Refusal(
      "conflict",
      `Workflow ${fullNameOf(run)} is ${run.status}, and only the outputs of a finished workflow are published.`,
    );
  const recorded = (await resultsOfRuns(db, [run.id])).get(run.id) ?? { files: [], isCut: false };
  const isDeclared = namedBy(pathsIn(specification.outputs));
  const results = { ...recorded, files: recorded.files.filter(({ path }) => isDeclared(path)) };
  await checkUnchanged(context, run, results);
  return { destination, results };
}

async function checkUnchanged(
  { clock, workspaces }: PublishServices,
  run: Run,
  { files }: Results,
): Promise<void> {
  const time = new AbortController();
  const callOff = clock.after(HASHING_MAX_MS, () => time.abort());
  const request = { declared: [], earlier: files.map(({ path }) => path) };
  const now = await workspaces.of(run.workspaceId).collectResults(request, time.signal).finally(callOff);
  const present = new Map(now.files.map((file) => [file.path, file]));
  const changed = files.filter((file) => {
    const there = present.get(file.path);
    return !there || !isSameResult(file, there);
  });
  if (changed.length === 0) return;
  const named = changed.slice(0, NAMED_MAX).map(({ path }) => printable(path, 200));
  const more = changed.length - named.length;
  throw new Refusal(
    "conflict",
    `Outputs of ${fullNameOf(run)} have changed since its end: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. ` +
      "Start the workflow again to publish new outputs.",
  );
}

/** Records a publication behind the last event of an ended run. Its success is recorded once. */
async function recordPublication(
  db: Connection,
  clock: Clock,
  run: Run,
  publication: Publication,
): Promise<void> {
  if (!publication.isWhole || (await maybeFirstEventOf(db, run.id, OUTPUTS_PUBLISHED))) return;
  const { kind, body, lines } = publicationEvent(run, publication);
  const atMs = clock.now();
  const log = lines.map((line) => logLine(line, atMs)).join("");
  await transaction(db, async (tx) => {
    const seq = await nextRunEventSeq(tx, run.id);
    await insertRunEvent(tx, run.id, { seq, kind, body, log, atMs });
    await notify(tx, { kind: "run-changed", runId: run.id });
  });
}

function stateOf(run: Run, publication: Publication): PublishState {
  const { folder } = publication.outputs;
  if (publication.isWhole) {
    const { files, manifest } = publication.outputs;
    const message = `The outputs of ${fullNameOf(run)} are published in ${folder}, with the manifest ${manifest}.`;
    return { run, state: "published", folder, published: files.length, total: files.length, message };
  }
  const { published, missing } = publication.outputs;
  const total = published.length + missing.length;
  const message = unpublishedSentence(run, publication.outputs);
  return { run, state: "unpublished", folder, published: published.length, total, message };
}

function waited(clock: Clock, ms: number): Promise<undefined> {
  return new Promise((resolve) => void clock.after(ms, () => resolve(undefined)));
}
