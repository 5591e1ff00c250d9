import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";
import { RUN_COLUMNS, type Run, toRun } from "#store/runs/runs";
import { holdsAt } from "#store/sharing/shares";
import type { FileRole, IndexedFile } from "#workflow/run/indexed-file";

/** A row of the index, with the number of its run. */
export interface FileRow extends IndexedFile {
  readonly runSeq: number;
}

/** A user who asks for the origin of a file, with the ids under which runs can be shared with the user. */
export interface Asker {
  readonly userId: string;
  readonly granteeIds: readonly string[];
  readonly nowMs: number;
}

const GIVEN = {
  run_seq: "bigint",
  position: "integer",
  owner_id: "text",
  path: "text",
  name: "text",
  bytes: "bigint",
  sha256: "text",
  stamp: "text",
  role: "text",
  job_id: "text",
  doubt: "text",
  inside: "text",
  sketch: "text",
} as const;
const NAMES = Object.keys(GIVEN) as (keyof typeof GIVEN)[];

const insertRows = rowsQuery(GIVEN, (db, given) =>
  db
    .insertInto("run_files")
    .columns(NAMES)
    .expression(sql`select ${sql.join(NAMES.map((name) => sql.ref(name)))} from ${given}`),
);

const CHUNK = { owner_id: "text", chunk: "text", run_seq: "bigint", position: "integer" } as const;
const CHUNK_NAMES = Object.keys(CHUNK) as (keyof typeof CHUNK)[];

const insertChunkRows = rowsQuery(CHUNK, (db, given) =>
  db
    .insertInto("run_file_chunks")
    .columns(CHUNK_NAMES)
    .expression(sql`select ${sql.join(CHUNK_NAMES.map((name) => sql.ref(name)))} from ${given}`),
);

/** Adds files of a run to the index. `from` is the position of the first file. */
export async function insertFiles(
  db: Connection,
  { seq, ownerId }: Pick<Run, "seq" | "ownerId">,
  files: readonly IndexedFile[],
  from: number,
): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map((file, index) => ({
    run_seq: seq,
    position: from + index,
    owner_id: ownerId,
    path: file.path,
    name: nameOf(file.inside ?? file.path),
    bytes: file.bytes,
    sha256: file.sha256,
    stamp: file.stamp,
    role: file.role,
    job_id: file.jobId,
    doubt: file.doubt,
    inside: file.inside ?? null,
    sketch: file.sketch?.join() ?? null,
  }));
  await insertRows(db, rows);
  const chunks = files.flatMap(({ sketch = [] }, index) =>
    sketch.map((chunk) => ({ owner_id: ownerId, chunk, run_seq: seq, position: from + index })),
  );
  if (chunks.length > 0) await insertChunkRows(db, chunks);
}

/** Removes the files of a run from the index, before they are indexed again. */
export async function removeFiles(db: Connection, runSeq: number): Promise<void> {
  await db.deleteFrom("run_file_chunks").where("run_seq", "=", runSeq).execute();
  await db.deleteFrom("run_files").where("run_seq", "=", runSeq).execute();
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Limit on the rows that one digest may have in a reply. The newest runs come first. */
const ROWS_MAX = 200;

export const SELECTED = [
  "run_files.run_seq",
  "run_files.path",
  "run_files.bytes",
  "run_files.sha256",
  "run_files.stamp",
  "run_files.role",
  "run_files.job_id",
  "run_files.doubt",
  "run_files.inside",
  "run_files.sketch",
] as const;

/**
 * Returns the rows with the digest that the asker may see, newest runs first. Each part reads an index that begins with
 * the asker's own id, or with a run that is shared with the asker. The time does not depend on the rows of others.
 */
export async function filesWithDigest(db: Connection, sha256: string, asker: Asker): Promise<FileRow[]> {
  const own = await ownWithDigest(db, { userId: asker.userId, sha256 });
  const shared = await sharedWithDigest(db, sha256, asker);
  return [...own.rows, ...shared].map(toFile).toSorted((one, other) => other.runSeq - one.runSeq);
}

const ownWithDigest = fixedQuery((db, { userId, sha256 }: { userId: string; sha256: string }) =>
  db
    .selectFrom("run_files")
    .select(SELECTED)
    .where("owner_id", "=", userId)
    .where("sha256", "=", sha256)
    .orderBy("run_seq", "desc")
    .orderBy("position")
    .limit(ROWS_MAX),
);

/** A user may share a run with a group to which the user belongs: such a run is the user's own. */
async function sharedWithDigest(db: Connection, sha256: string, asker: Asker) {
  return sharedFiles(db, asker)
    .where("run_files.sha256", "=", sha256)
    .orderBy("run_files.run_seq", "desc")
    .orderBy("run_files.position")
    .limit(ROWS_MAX)
    .execute();
}

export function sharedFiles(db: Connection, asker: Asker) {
  return db.selectFrom("run_files").select(SELECTED).where("run_files.run_seq", "in", sharedRuns(db, asker));
}

/** Selects the runs of others that are shared with the asker. */
export function sharedRuns(db: Connection, { userId, granteeIds, nowMs }: Asker) {
  return db
    .selectFrom("run_shares")
    .select("run_seq")
    .where("grantee_id", "in", [...granteeIds])
    .where("run_shares.owner_id", "!=", userId)
    .where(holdsAt(nowMs));
}

/** Returns the rows of a run with the given role that belong to the given jobs, in the order of the index. */
export async function filesOfJobs(
  db: Connection,
  runSeq: number,
  jobIds: readonly string[],
): Promise<FileRow[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom("run_files")
    .select(SELECTED)
    .where("run_seq", "=", runSeq)
    .where("job_id", "in", [...jobIds])
    .orderBy("position")
    .execute();
  return rows.map(toFile);
}

/** Returns the rows of a run that have the role, in the order of the index, at most `limit`. */
export async function filesInRole(
  db: Connection,
  runSeq: number,
  role: FileRole,
  limit: number,
): Promise<FileRow[]> {
  const rows = await db
    .selectFrom("run_files")
    .select(SELECTED)
    .where("run_seq", "=", runSeq)
    .where("role", "=", role)
    .orderBy("position")
    .limit(limit)
    .execute();
  return rows.map(toFile);
}

/** Returns the rows of a run with the digest, in the order of the index. */
export async function filesInRun(db: Connection, runSeq: number, sha256: string): Promise<FileRow[]> {
  const { rows } = await inRunWithDigest(db, { runSeq, sha256 });
  return rows.map(toFile);
}

const inRunWithDigest = fixedQuery((db, { runSeq, sha256 }: { runSeq: number; sha256: string }) =>
  db
    .selectFrom("run_files")
    .select(SELECTED)
    .where("run_seq", "=", runSeq)
    .where("sha256", "=", sha256)
    .orderBy("position")
    .limit(ROWS_MAX),
);

/** Returns the runs with these sequence numbers. */
export async function runsBySeq(db: Connection, seqs: readonly number[]): Promise<ReadonlyMap<number, Run>> {
  if (seqs.length === 0) return new Map();
  const rows = await db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("seq", "in", [...new Set(seqs)])
    .execute();
  return new Map(rows.map((row) => [row.seq, toRun(row)]));
}

interface SelectedRow {
  readonly run_seq: number;
  readonly path: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly stamp: string | null;
  readonly role: FileRole;
  readonly job_id: string | null;
  readonly doubt: string | null;
  readonly inside: string | null;
  readonly sketch: string | null;
}

export function toFile(row: SelectedRow): FileRow {
  const { inside, sketch } = row;
  return {
    runSeq: row.run_seq,
    path: row.path,
    bytes: row.bytes,
    sha256: row.sha256,
    stamp: row.stamp,
    role: row.role,
    jobId: row.job_id,
    doubt: row.doubt,
    ...(inside !== null && { inside }),
    ...(sketch !== null && { sketch: sketch.split(",") }),
  };
}
