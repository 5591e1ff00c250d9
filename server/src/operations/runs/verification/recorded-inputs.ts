import type { Stamped } from "#engines/engine";
import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { maybeFirstEventOf } from "#store/events/run-events";
import { filesInRole } from "#store/origin/file-rows";
import type { Run, RunDefinition } from "#store/runs/runs";
import { isSameStamp } from "#workflow/job/file-stamps";
import type { ResultFile } from "#workflow/run/results";
import { declaredPaths } from "#workflow/specification/declared-paths";
import { namedBy } from "#plumbing/text/named-by";
import { changedMsOfStamp } from "#workspace/read/stamps";

type InputsContext = Pick<RunServices, "db" | "clock" | "workspaces">;

/** Limit on the time for the checksums of inputs. */
const HASHING_MAX_MS = 60_000;
const FILES_MAX = 20_000;
/** Limits on the names in a sentence. */
const NAMED_MAX = 3;
const NAME_LENGTH_MAX = 200;

interface RecordedInput {
  readonly path: string;
  readonly sha256: string | null;
  readonly stamp: string | null;
}

/**
 * Checks that the declared inputs are the recorded ones. Returns a test for files that are declared as inputs and were not
 * there when the run started: a repetition must not read them.
 */
export async function checkInputs(
  context: InputsContext,
  run: Run,
  { specification }: RunDefinition,
  work: "verified" | "packed",
): Promise<(path: string) => boolean> {
  const { inputs } = declaredPaths(specification);
  const recorded = await recordedInputs(context, run);
  const present = await presentInputs(context, run, inputs);
  const wrong = recorded
    ? recorded.filter((input) => !isUnchanged(input, present.get(input.path)))
    : [...present.values()].filter(({ stamp }) => (changedMsOfStamp(stamp) ?? Infinity) > run.startedAtMs!);
  if (wrong.length > 0) throw changedInputs(run, work, wrong, present);
  if (!recorded) return () => false;
  const known = new Set(recorded.map(({ path }) => path));
  const isInput = namedBy(inputs);
  return (path) => isInput(path) && !known.has(path);
}

/** Returns the inputs that the run itself has recorded, or else the index of files. Undefined if neither has any. */
async function recordedInputs(
  { db }: InputsContext,
  run: Run,
): Promise<readonly RecordedInput[] | undefined> {
  const event = await maybeFirstEventOf(db, run.id, "stamped" satisfies Stamped["kind"]);
  const { inputs } = (event?.body ?? {}) as Partial<Stamped>;
  if (inputs) return inputs;
  const indexed = await filesInRole(db, run.seq, "input", FILES_MAX);
  return indexed.length > 0 ? indexed : undefined;
}

async function presentInputs(
  { clock, workspaces }: InputsContext,
  run: Run,
  declared: readonly string[],
): Promise<ReadonlyMap<string, ResultFile>> {
  const time = new AbortController();
  const callOff = clock.after(HASHING_MAX_MS, () => time.abort());
  try {
    const { files } = await workspaces
      .of(run.workspaceId)
      .collectResults({ declared, earlier: [] }, time.signal);
    return new Map(files.map((file) => [file.path, file]));
  } finally {
    callOff();
  }
}

function isUnchanged(input: RecordedInput, now: ResultFile | undefined): boolean {
  if (!now) return false;
  if (input.sha256 !== null && now.sha256 !== null) return input.sha256 === now.sha256;
  return input.stamp !== null && isSameStamp(input.stamp, now.stamp);
}

/** Refusal that names the changed files. */
export function changedInputs(
  run: Run,
  work: string,
  wrong: readonly { readonly path: string }[],
  present: ReadonlyMap<string, ResultFile>,
): Refusal {
  const named = wrong
    .slice(0, NAMED_MAX)
    .map(({ path }) => printable(path, NAME_LENGTH_MAX) + (present.has(path) ? " (changed)" : " (gone)"));
  const more = wrong.length - named.length;
  const which = wrong.length === 1 ? "an input is" : `${wrong.length} inputs are`;
  return new Refusal(
    "conflict",
    `Workflow ${fullNameOf(run)} cannot be ${work}, because ${which} not as recorded: ` +
      `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. Put the original content back and try again.`,
  );
}
