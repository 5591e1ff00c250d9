import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace, workspaceGone } from "#operations/files/find-workspace";
import { withRoom, meteredContent } from "#operations/quota/room";
import { transaction } from "#store/database/database";
import { markExternalChange } from "#store/runs/restarts";
import { oneRun } from "#store/runs/runs";
import { isWorkspaceKept } from "#store/workspaces/workspaces";
import { cleanPath } from "#workspace/safe-path";

export interface Upload {
  /** UUID or name of the run. */
  readonly address: string;
  /** Path inside the workspace. */
  readonly fileName: string | undefined;
  readonly isExecutable: boolean;
  /** Length of the content, if the sender has told it. */
  readonly bytes: number | undefined;
  /** True if the caller hands over the chunks of the content, so each chunk can be freed once written. */
  readonly ownsChunks: boolean;
  /** Receives the content. Called only after everything else was checked. */
  receive(write: (content: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>;
}

/** Writes a file into a workspace, whole or not at all. */
export async function uploadFile(
  context: Pick<FileServices, "db" | "workspaces" | "clock" | "quotas">,
  caller: Caller,
  upload: Upload,
): Promise<void> {
  const { id, workspaceId, ownerId } = await findWorkspace(context, caller, upload.address, "change");
  const { isExecutable, ownsChunks } = upload;
  const fileName = cleanPath(upload.fileName ?? "");
  // Record that a user changed files of a live run.
  const beforePublishing = () => markExternalChange(context.db, workspaceId, context.clock.now());
  const room = await context.quotas.openRoom(ownerId);
  await withRoom(room, () =>
    upload.receive(async (content) => {
      const counted = room.isLimited ? meteredContent(room, fileName, content, upload.bytes) : content;
      const options = { isExecutable, ownsChunks, beforePublishing };
      await context.workspaces.of(workspaceId).write(fileName, counted, options);
    }),
  );
  await refuseIfDeleted(context, { id, workspaceId });
}

/** Copies a file of this machine into a workspace, with its execute bit, whole or not at all. */
export async function copyFileIn(
  context: Pick<FileServices, "db" | "workspaces" | "clock">,
  caller: Caller,
  copy: {
    readonly address: string;
    readonly fileName: string;
    readonly file: string;
    readonly onBytes: (count: number) => void;
  },
): Promise<void> {
  const { id, workspaceId } = await findWorkspace(context, caller, copy.address, "change");
  await context.workspaces.of(workspaceId).copyIn(copy.fileName, copy.file, {
    clock: context.clock,
    onBytes: copy.onBytes,
    beforePublishing: () => markExternalChange(context.db, workspaceId, context.clock.now()),
  });
  await refuseIfDeleted(context, { id, workspaceId });
}

/** Refuses if the run was deleted. Call this after a file was put in place. */
export async function refuseIfDeleted(
  context: Pick<FileServices, "db" | "workspaces">,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): Promise<void> {
  // The run was deleted during the upload. Its removal may have finished first, and nothing else would remove the new
  // file. The check is in a transaction, because files are removed only if the run was certainly deleted.
  const { isDeleted, isKept } = await transaction(context.db, async (db) => ({
    isDeleted: (await oneRun(db, id)).status === "deleted",
    isKept: await isWorkspaceKept(db, workspaceId),
  }));
  if (!isDeleted) return;
  // Another run may share the workspace.
  if (!isKept) await context.workspaces.of(workspaceId).remove();
  throw workspaceGone();
}
