import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { changing, type Keyed } from "#operations/idempotency";
import { Refusal } from "#plumbing/errors";
import { type Annotation, annotationsOf, setNote, setTags } from "#store/runs/run-notes";
import type { Run } from "#store/runs/runs";

export const NOTE_LENGTH_MAX = 5000;
export const TAGS_MAX = 20;

/** A tag is one word, so that it can be typed into a filter and a command. */
const TAG = /^[\p{L}\p{N}][\p{L}\p{N}_.:/@+-]{0,39}$/u;

export interface AnnotatedRun extends Annotation {
  readonly run: Run;
}

/** Returns the note and the tags of a run, which everybody sees who sees the run. */
export async function getAnnotation(
  context: Pick<Operations, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<AnnotatedRun> {
  const run = await findRun(context, caller, address, "see");
  return { run, ...(await annotationsOf(context.db, [run.seq]))(run.seq) };
}

/** Replaces the note or the tags of a run, or both. Only the owner may. */
export async function annotateRun(
  context: Pick<Operations, "db" | "clock"> & Keyed,
  caller: Caller,
  { address, note, tags }: { readonly address: string } & Partial<Annotation>,
): Promise<AnnotatedRun> {
  const run = await findRun(context, caller, address, "change");
  if (note === undefined && tags === undefined)
    throw new Refusal("malformed", "Nothing to change: give a note, tags, or both.");
  const wrong = tags?.find((tag) => !TAG.test(tag));
  if (wrong !== undefined) throw notATag(wrong);
  return changing(context, async (db) => {
    if (note !== undefined) await setNote(db, run.seq, note.trim());
    if (tags !== undefined) await setTags(db, run.seq, [...new Set(tags)]);
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
