import { createHash } from "node:crypto";
import type { RunServices } from "#operations/runs/services";
import { Refusal } from "#plumbing/errors";
import { maybeShortText, SHORT_TEXT_BYTES_MAX } from "#plumbing/text/short-text";
import { lastStartedIn, resultsOfRuns } from "#store/runs/run-results";
import type { Run } from "#store/runs/runs";
import type { ResultFile } from "#workflow/run/results";

/** A declared output after its run, for a table of runs. */
export interface ListedOutput {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string | null;
  /** False if a later run started in the workspace, which may have replaced the file. */
  readonly isCurrent: boolean;
  /** The content, if that is one short line of text and is still in the workspace. */
  readonly text?: string;
}

/** Maximum number of outputs per run in a table. */
const LISTED_MAX = 20;

/** Returns the recorded outputs of runs by the ids of the runs. A run that has not ended has none. */
export async function outputsOfRuns(
  { db, workspaces }: Pick<RunServices, "db" | "workspaces">,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, readonly ListedOutput[]>> {
  const recorded = await resultsOfRuns(
    db,
    runs.map(({ id }) => id),
  );
  const lastSeqs = await lastStartedIn(
    db,
    runs.map(({ workspaceId }) => workspaceId),
  );
  const { signal } = new AbortController();
  const found = new Map<string, readonly ListedOutput[]>();
  for (const { id, seq, workspaceId } of runs) {
    const isCurrent = (lastSeqs.get(workspaceId) ?? 0) <= seq;
    const outputs: ListedOutput[] = [];
    const { read } = workspaces.of(workspaceId).forRun(signal);
    for (const file of recorded.get(id)?.files.slice(0, LISTED_MAX) ?? []) {
      const text = await maybeText(file, (name) => read(name, SHORT_TEXT_BYTES_MAX));
      const { path: name, bytes, sha256 } = file;
      outputs.push({ name, bytes, sha256, isCurrent, ...(text !== undefined && { text }) });
    }
    found.set(id, outputs);
  }
  return found;
}

/** Returns the short text of an output unless a later run of the workspace has replaced or removed it. */
async function maybeText(
  { path, bytes, sha256 }: ResultFile,
  read: (name: string) => Promise<{ readonly text: string }>,
): Promise<string | undefined> {
  if (bytes === 0 || bytes > SHORT_TEXT_BYTES_MAX || sha256 === null) return undefined;
  try {
    const { text } = await read(path);
    const isSame = createHash("sha256").update(text).digest("hex") === sha256;
    return isSame ? maybeShortText(text) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
