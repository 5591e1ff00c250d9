import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { type Asker, type FileRow, SELECTED, sharedFiles, sharedRuns, toFile } from "#store/origin/file-rows";

/** Limits on the rows that are read for one chunk or name, and on the files that are compared. The newest come first. */
const ROWS_MAX = 50;
const FILES_MAX = 20;

interface Place {
  readonly run_seq: number;
  readonly position: number;
}

/**
 * Returns files that share chunks with a content, and files of the name, which the asker may see. Reads rows of the asker
 * and of runs that are shared with the asker, and no others.
 */
export async function similarFiles(
  db: Connection,
  { name, chunks }: { readonly name: string | undefined; readonly chunks: readonly string[] },
  asker: Asker,
): Promise<FileRow[]> {
  const counted = new Map<string, { readonly place: Place; count: number }>();
  for (const chunk of chunks) {
    for (const place of await placesOf(db, chunk, asker)) {
      const key = `${place.run_seq} ${place.position}`;
      counted.set(key, { place, count: (counted.get(key)?.count ?? 0) + 1 });
    }
  }
  const most = [...counted.values()].toSorted((one, other) => other.count - one.count).slice(0, FILES_MAX);
  const alike = await filesAt(
    db,
    most.map(({ place }) => place),
  );
  return [...alike, ...(name === undefined ? [] : await filesNamed(db, name, asker))];
}

async function placesOf(db: Connection, chunk: string, asker: Asker): Promise<readonly Place[]> {
  const own = await ownWithChunk(db, { userId: asker.userId, chunk });
  const shared = await db
    .selectFrom("run_file_chunks")
    .select(["run_seq", "position"])
    .where("run_seq", "in", sharedRuns(db, asker))
    .where("chunk", "=", chunk)
    .orderBy("run_seq", "desc")
    .limit(ROWS_MAX)
    .execute();
  return [...own.rows, ...shared];
}

const ownWithChunk = fixedQuery((db, { userId, chunk }: { userId: string; chunk: string }) =>
  db
    .selectFrom("run_file_chunks")
    .select(["run_seq", "position"])
    .where("owner_id", "=", userId)
    .where("chunk", "=", chunk)
    .orderBy("run_seq", "desc")
    .limit(ROWS_MAX),
);

async function filesAt(db: Connection, places: readonly Place[]): Promise<FileRow[]> {
  if (places.length === 0) return [];
  const rows = await db
    .selectFrom("run_files")
    .select(SELECTED)
    .where((is) =>
      is.or(
        places.map(({ run_seq: runSeq, position }) =>
          is.and([is("run_seq", "=", runSeq), is("position", "=", position)]),
        ),
      ),
    )
    .execute();
  return rows.map(toFile);
}

async function filesNamed(db: Connection, name: string, asker: Asker): Promise<FileRow[]> {
  const own = await ownNamed(db, { userId: asker.userId, name });
  const shared = await sharedFiles(db, asker)
    .where("run_files.name", "=", name)
    .orderBy("run_files.run_seq", "desc")
    .limit(ROWS_MAX)
    .execute();
  return [...own.rows, ...shared].map(toFile);
}

const ownNamed = fixedQuery((db, { userId, name }: { userId: string; name: string }) =>
  db
    .selectFrom("run_files")
    .select(SELECTED)
    .where("owner_id", "=", userId)
    .where("name", "=", name)
    .orderBy("run_seq", "desc")
    .limit(ROWS_MAX),
);
