import type { Connection } from "#store/database/database";

/** Note and tags that the owner of a run has written. */
export interface Annotation {
  /** Empty without a note. */
  readonly note: string;
  /** Sorted. */
  readonly tags: readonly string[];
}

const NONE: Annotation = { note: "", tags: [] };

/** Returns the notes and tags of runs, with two queries for a page. */
export async function annotationsOf(
  db: Connection,
  seqs: readonly number[],
): Promise<(seq: number) => Annotation> {
  if (seqs.length === 0) return () => NONE;
  const notes = await db
    .selectFrom("run_notes")
    .selectAll()
    .where("run_seq", "in", [...seqs])
    .execute();
  const tags = await db
    .selectFrom("run_tags")
    .selectAll()
    .where("run_seq", "in", [...seqs])
    .execute();
  const noteOf = new Map(notes.map((row) => [row.run_seq, row.note]));
  const tagsOf = Map.groupBy(tags, (row) => row.run_seq);
  return (seq) => ({
    note: noteOf.get(seq) ?? "",
    tags: (tagsOf.get(seq) ?? []).map(({ tag }) => tag).toSorted(),
  });
}

/** Replaces the note of a run. An empty text removes it. */
export async function setNote(db: Connection, seq: number, note: string): Promise<void> {
  await db.deleteFrom("run_notes").where("run_seq", "=", seq).execute();
  if (note !== "") await db.insertInto("run_notes").values({ run_seq: seq, note }).execute();
}

/** Replaces all tags of a run. */
export async function setTags(db: Connection, seq: number, tags: readonly string[]): Promise<void> {
  await db.deleteFrom("run_tags").where("run_seq", "=", seq).execute();
  const rows = tags.map((tag) => ({ run_seq: seq, tag }));
  if (rows.length > 0) await db.insertInto("run_tags").values(rows).execute();
}
