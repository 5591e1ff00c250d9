import type { Basics, Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { type Chain, chainOf } from "#operations/watch/origin/chain";
import { type NearFile, nearestFiles, type Wanted } from "#operations/watch/origin/nearest-files";
import { candidatesOf, type Occurrence, occurrence } from "#operations/watch/origin/occurrences";
import { type Asker, filesWithDigest } from "#store/origin/file-rows";
import { countRunsToIndex } from "#store/origin/index-claims";
import { granteesOf } from "#store/sharing/groups";

export interface Origin {
  readonly sha256: string;
  /** Files made by a step come first, then the newest runs. */
  readonly found: readonly Occurrence[];
  /** True if more files have the content. */
  readonly isCut: boolean;
  /** The inputs of the step that made the first found file. Undefined if no step is known to have made the file. */
  readonly chain: Chain | undefined;
  /** If no file has the content: the files most like the wanted one. */
  readonly nearest: readonly NearFile[];
  /** Ended runs of the caller that are not in the index yet. */
  readonly pendingRuns: number;
}

export type OriginContext = Pick<WatchServices, "db" | "clock" | "workspaces" | "fileIndex">;

/** Limit on the files that a reply describes. */
const SHOWN_MAX = 20;

/** Finds the runs visible to the caller that have a file with that content, and what the file was made from. */
export async function findOrigin(
  context: OriginContext,
  caller: Caller,
  { sha256, ...wanted }: Wanted & { readonly sha256: string },
): Promise<Origin> {
  const { db, fileIndex } = context;
  await fileIndex.catchUp(caller.id);
  const asker = await askerOf(context, caller);
  const rows = await filesWithDigest(db, sha256, asker);
  const candidates = await candidatesOf(db, rows);
  const shown = candidates.slice(0, SHOWN_MAX);
  const found = await Promise.all(shown.map((one) => occurrence(context, one)));
  const [first] = found;
  const top = shown[0];
  const chain = top && first!.madeBy.length > 0 ? await chainOf(context, asker, top) : undefined;
  const nearest = found.length > 0 ? [] : await nearestFiles(context, asker, wanted);
  const pendingRuns = await countRunsToIndex(db, caller.id);
  return { sha256, found, isCut: candidates.length > shown.length, chain, nearest, pendingRuns };
}

async function askerOf({ db, clock }: Pick<Basics, "db" | "clock">, caller: Caller): Promise<Asker> {
  return { userId: caller.id, granteeIds: await granteesOf(db, caller.id), nowMs: clock.now() };
}
