import type { RunServices } from "#operations/runs/services";
import { isUnchanged } from "#operations/watch/origin/is-unchanged";
import { recordedFiles } from "#operations/watch/origin/recorded-files";
import { filesInRole } from "#store/origin/file-rows";
import type { Run } from "#store/runs/runs";
import { runNumber } from "#workflow/run/run-name";
import type { IndexedFile } from "#workflow/run/indexed-file";
import type { FilePair } from "#workspace/equivalence/file-pair";

type WrittenContext = Pick<RunServices, "db" | "workspaces">;

const FILES_MAX = 20_000;

/** A file with the jobs that may have written its last content. */
export interface Written {
  /** Folder of the run's own jobs, which has the number of the run in its name. Empty for other files. */
  readonly below: string;
  /** Path below the folder. */
  readonly path: string;
  readonly file: FilePair["a"];
  readonly jobIds: readonly string[];
  /** False if the file may have been there before the jobs. */
  readonly isSure: boolean;
}

/** Returns the files that the jobs of a run wrote. A file that was replaced since has no checksum. */
export async function writtenFiles(
  { db, workspaces }: WrittenContext,
  run: Run,
  signal: AbortSignal,
): Promise<Written[]> {
  const indexed = await filesInRole(db, run.seq, "written", FILES_MAX);
  const rows =
    indexed.length > 0 ? indexed : (await recordedFiles(db, run)).filter(({ role }) => role === "written");
  const byPath = Map.groupBy(rows, ({ path }) => path);
  const earlier = [...byPath].filter(([, [row]]) => row!.sha256 === null).map(([path]) => path);
  const { files } = await workspaces.of(run.workspaceId).collectResults({ declared: [], earlier }, signal);
  const present = new Map(files.map((file) => [file.path, file]));
  return [...byPath].map(([path, all]): Written => {
    const jobIds = all.flatMap(({ jobId }) => jobId ?? []);
    const isSure = all.every(({ doubt }) => doubt === null);
    const now = present.get(path);
    const recorded = all[0]!;
    const isPresent = now !== undefined && isUnchanged(recorded, now.stamp, run);
    return { ...placeIn(run, path), file: isPresent ? now : recordedFile(recorded), jobIds, isSure };
  });
}

function placeIn({ language, runMajor, runMinor }: Run, path: string): Pick<Written, "below" | "path"> {
  const below = `${language}/${runNumber(runMajor, runMinor)}`;
  if (!path.startsWith(`${below}/`)) return { below: "", path };
  return { below, path: path.slice(below.length + 1) };
}

/** Returns the path from the workspace on. */
export function wholePath({ below, path }: Written): string {
  return below === "" ? path : `${below}/${path}`;
}

function recordedFile({ bytes, sha256, stamp }: IndexedFile): FilePair["a"] {
  return { bytes: bytes ?? 0, sha256, stamp };
}
