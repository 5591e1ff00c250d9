import { codeOf, Refusal } from "#plumbing/errors";
import { packedContents, type PackedContent } from "#plumbing/zip/packed-contents";
import type { Run } from "#store/runs/runs";
import { isSameStamp } from "#workflow/job/file-stamps";
import type { IndexedFile } from "#workflow/run/indexed-file";
import type { OpenFile } from "#workspace/read/open-file";
import type { Workspaces } from "#workspace/workspaces";

/** Limits on the archives of one run, and on the content of each. Archives beyond are found as a whole. */
const ARCHIVES_MAX = 100;
const LIMITS = { maxFiles: 1000, maxBytes: 256 << 20 };

/** Returns the files inside the zips and gzips of a run, each with the role and the job of its archive. */
export async function filesInside(
  { workspaces }: { readonly workspaces: Pick<Workspaces, "of"> },
  run: Run,
  archives: readonly IndexedFile[],
  signal: AbortSignal,
): Promise<IndexedFile[]> {
  const byPath = new Map([...Map.groupBy(archives, ({ path }) => path)].slice(0, ARCHIVES_MAX));
  if (byPath.size === 0) return [];
  const workspace = workspaces.of(run.workspaceId);
  const found: IndexedFile[] = [];
  try {
    for await (const file of workspace.openFiles((path) => byPath.has(path))) {
      const contents = await readArchive(file, signal);
      const [now] = (await workspace.forRun(signal).maybeStampsAt(file.path, 1)) ?? [];
      const rows = byPath.get(file.path)!.filter(({ stamp }) => now && isSameStamp(stamp, now.stamp));
      found.push(...rows.flatMap((archive) => contents.map((content) => fileInside(archive, content))));
    }
  } catch (error) {
    // A folder that vanished or cannot be read must not keep the run from the index.
    if (!(error instanceof Refusal) && codeOf(error) === undefined && !signal.aborted) throw error;
  }
  return found;
}

/** Returns the contents of an archive. A damaged or hostile archive, or one beyond the limits, has none. */
async function readArchive(file: OpenFile, signal: AbortSignal): Promise<PackedContent[]> {
  const source = {
    stat: async () => ({ size: file.bytes }),
    read: async (buffer: Buffer, _offset: number, _length: number, at: number) => {
      signal.throwIfAborted();
      return { bytesRead: await file.read(buffer, at) };
    },
  };
  const contents: PackedContent[] = [];
  try {
    for await (const content of packedContents(source, file.path, LIMITS)) contents.push(content);
    return contents;
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  } finally {
    await file.close();
  }
}

function fileInside(archive: IndexedFile, { name, bytes, sha256 }: PackedContent): IndexedFile {
  const { sketch: _, ...file } = archive;
  return { ...file, inside: name, bytes, sha256 };
}
