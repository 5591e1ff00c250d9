import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { changing, type Keyed } from "#operations/idempotency";
import { Refusal } from "#plumbing/errors";
import { type Annotation, annotationsOf, setNote, setTags } from "#store/runs/run-notes";
import type { Run } from "#store/runs/runs";

export const NOTE_LENGTH_MAX = 5000;
export const TAGS_MAX = 20;

/** A tag is a single word, so users can type tags into filters and commands. */
const TAG = /^[\p{L}\p{N}][\p{L}\p{N}_.:/@+-]{0,39}$/u;

export interface AnnotatedRun extends Annotation {
  readonly run: Run;
}

/** Returns the note and the tags of a run, which everybody sees who sees the run. */
export async function getAnnotation(
  context: Pick<RunServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<AnnotatedRun> {
  const run = await findRun(context, caller, address, "see");
  return { run, ...(await annotationsOf(context.db, [run.seq]))(run.seq) };
}

/** A change to what the owner has written about a run. Absent fields stay as they are. */
export interface AnnotationChange extends Partial<Annotation> {
  /** Tags to add to the run's tags, or to the list in `tags` if given. */
  readonly addTags?: readonly string[];
  /** Tags to take away. A tag that the run does not have is ignored. */
  readonly removeTags?: readonly string[];
}

/** Changes the note or the tags of a run, or both. Only the owner may. */
export async function annotateRun(
  context: Pick<RunServices, "db" | "clock"> & Keyed,
  caller: Caller,
  address: string,
  change: AnnotationChange,
): Promise<AnnotatedRun> {
  const run = await findRun(context, caller, address, "change");
  const { note, tags, addTags = [], removeTags = [] } = change;
  if (Object.keys(change).length === 0)
    throw new Refusal("malformed", "Nothing to change: give a note, tags, or both.");
  const wrong = [...(tags ?? []), ...addTags].find((tag) => !TAG.test(tag));
  if (wrong !== undefined) throw notATag(wrong);
  return changing(context, async (db) => {
    const before = (await annotationsOf(db, [run.seq]))(run.seq);
    const wanted = new Set([...(tags ?? before.tags), ...addTags]);
    const after = [...wanted].filter((tag) => !removeTags.includes(tag));
    if (after.length > TAGS_MAX)
      throw new Refusal("malformed", `A run has at most ${TAGS_MAX} tags: remove some first.`);
    if (note !== undefined) await setNote(db, run.seq, note.trim());
    await setTags(db, run.seq, after);
    return { run, ...(await annotationsOf(db, [run.seq]))(run.seq) };
  });
}

function notATag(word: string): Refusal {
  return new Refusal(
    "malformed",
    `${JSON.stringify(word.slice(0, 60))} cannot be a tag: a tag is a word of at most 40 letters, digits and _ . : / @ + -, ` +
      "which begins with a letter or a digit.",
  );
}
