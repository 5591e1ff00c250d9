import type { WatchServices } from "#operations/watch/services";
import { candidatesIn, type Occurrence, occurrence } from "#operations/watch/origin/occurrences";
import { likenessOf } from "#plumbing/files/content-sketch";
import { type Asker, type FileRow, filesInRun, runsBySeq } from "#store/origin/file-rows";
import { similarFiles } from "#store/origin/similar-rows";

/** The name, size and sketch of a file whose content no visible run has. */
export interface Wanted {
  readonly name: string | undefined;
  readonly bytes: number | undefined;
  /** The sketch of the content. */
  readonly chunks: readonly string[];
}

export interface NearFile extends Occurrence {
  /** Estimated part of the content that both files share, from 0 to 1. Null if one of the contents was not read. */
  readonly likeness: number | null;
}

interface Ranked {
  readonly file: FileRow;
  readonly likeness: number | null;
  readonly isNamed: boolean;
}

const SHOWN_MAX = 3;

/** Returns the files most like the wanted one that the asker may see: by shared chunks, then by name, then by size. */
export async function nearestFiles(
  context: Pick<WatchServices, "db" | "workspaces">,
  asker: Asker,
  wanted: Wanted,
): Promise<NearFile[]> {
  const rows = await similarFiles(context.db, wanted, asker);
  const shown = ranked(rows, wanted).slice(0, SHOWN_MAX);
  return Promise.all(
    shown.map(async ({ file, likeness }) => ({ ...(await described(context, file)), likeness })),
  );
}

/** Ranks the files. Of several files with one content, the newest counts. */
function ranked(rows: readonly FileRow[], wanted: Wanted): Ranked[] {
  const all = rows.map((file): Ranked => {
    const likeness = file.sketch ? likenessOf(wanted.chunks, file.sketch) : null;
    return { file, likeness, isNamed: nameOf(file) === wanted.name };
  });
  const near = all.filter(({ likeness, isNamed }) => (likeness ?? 0) > 0 || isNamed);
  const distance = ({ bytes }: FileRow) =>
    bytes === null || wanted.bytes === undefined ? Infinity : Math.abs(bytes - wanted.bytes);
  const sorted = near.toSorted(
    (one, other) =>
      (other.likeness ?? -1) - (one.likeness ?? -1) ||
      Number(other.isNamed) - Number(one.isNamed) ||
      distance(one.file) - distance(other.file) ||
      0 ||
      other.file.runSeq - one.file.runSeq,
  );
  return [...Map.groupBy(sorted, ({ file }) => contentOf(file)).values()].map(([first]) => first!);
}

function nameOf({ path, inside = path }: FileRow): string {
  return inside.slice(inside.lastIndexOf("/") + 1);
}

function contentOf({ sha256, runSeq, path }: FileRow): string {
  return sha256 ?? `${runSeq} ${path}`;
}

/** Describes a file with all rows of its content in the run, which name the steps. */
async function described(
  context: Pick<WatchServices, "db" | "workspaces">,
  file: FileRow,
): Promise<Occurrence> {
  const run = (await runsBySeq(context.db, [file.runSeq])).get(file.runSeq)!;
  const rows = file.sha256 === null ? [file] : await filesInRun(context.db, file.runSeq, file.sha256);
  const candidates = candidatesIn(run, rows);
  return occurrence(context, candidates.find((one) => one.file.path === file.path) ?? candidates[0]!);
}
