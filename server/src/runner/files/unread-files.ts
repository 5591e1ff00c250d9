import { intermediateTest, type IntermediatesContext } from "#runner/files/intermediates";
import type { RecordedEvent } from "#runner/turn/record";
import { crashPoint } from "#plumbing/crash-points";
import { counted } from "#plumbing/text/counted";
import { hasExternalChange } from "#store/runs/restarts";
import type { Run } from "#store/runs/runs";
import { UNREAD_FILES } from "#workflow/run/event-kinds";
import type { KeepRequest } from "#workflow/run/kept-files";

/**
 * The intermediate files that no later job reads, according to the engine. A run that keeps its outputs only
 * removes such files while running. Files left over by a crash are removed at the end of the run.
 */
export interface Unread {
  /** Recorded before the files are removed. */
  readonly event: RecordedEvent;
  /** Removes the files, until `mayContinue` throws. */
  remove(mayContinue: () => Promise<void>): Promise<void>;
}

/** Limit on the files that the event names. */
const NAMED_MAX_FILES = 1000;

/** Returns the files that may be removed. Undefined if no file may be removed. */
export async function maybeUnread(
  context: IntermediatesContext,
  run: Run,
  request: KeepRequest,
  paths: readonly string[],
): Promise<Unread | undefined> {
  const made = await intermediateTest(context, run, request);
  if ("why" in made) return undefined;
  const files = paths.filter((path) => made.isIntermediate(path));
  if (files.length === 0) return undefined;
  const what = counted(files.length, "intermediate file");
  const line = `Removing ${what}, because no later step reads them and the run keeps its outputs only.`;
  return {
    event: {
      kind: UNREAD_FILES,
      body: { files: files.length, paths: files.slice(0, NAMED_MAX_FILES) },
      lines: [{ logger: "root", level: "INFO", line }],
    },
    async remove(mayContinue) {
      await context.workspaces
        .of(run.workspaceId)
        .removeFiles(files, async () => {
          await mayContinue();
          // A user's file must not be mistaken for a file of the run.
          if (await hasExternalChange(context.db, run.id)) throw new ChangedByUser();
        })
        .catch((error: unknown) => {
          if (!(error instanceof ChangedByUser)) throw error;
        });
      crashPoint("unread-removed");
    },
  };
}

/** Thrown when a user changes files of the workspace during the removal. The rest stays. */
class ChangedByUser extends Error {}
