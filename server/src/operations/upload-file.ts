import type { Caller, Operations } from "#operations/context";
import { findWorkspace, workspaceGone } from "#operations/find-workspace";
import { Refusal } from "#plumbing/errors";
import { transaction } from "#store/database";
import { noteDisturbance } from "#store/restarts";
import { oneWorkflow } from "#store/workflows";
import { isWorkspaceKept } from "#store/workspaces";

export interface Upload {
  /** UUID or name of the workflow. */
  readonly address: string;
  /** Where it goes inside the workspace. */
  readonly fileName: string | undefined;
  readonly isExecutable: boolean;
  /** Asked for once everything else is known to be right. */
  receive(write: (content: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>;
}

/** Puts a file into a workspace: whole, or not at all. */
export async function uploadFile(
  context: Pick<Operations, "db" | "workspaces" | "clock">,
  caller: Caller,
  upload: Upload,
): Promise<void> {
  const { id, workspaceId } = await findWorkspace(context.db, caller, upload.address, "change");
  const { fileName, isExecutable } = upload;
  if (!fileName) throw new Refusal("malformed", "No file_name provided");
  await upload.receive(async (content) => {
    // A run that goes on in the workspace is said to be disturbed.
    const announce = () => noteDisturbance(context.db, workspaceId, context.clock.now());
    await context.workspaces.write(workspaceId, fileName, content, {
      isExecutable,
      beforePublishing: announce,
    });
  });
  await refuseIfDeleted(context, { id, workspaceId });
}

/** Copies a file of this machine into a workspace, with its execute bit: whole, or not at all. */
export async function copyFileIn(
  context: Pick<Operations, "db" | "workspaces" | "clock">,
  caller: Caller,
  copy: {
    readonly address: string;
    readonly fileName: string;
    readonly file: string;
    readonly onBytes: (count: number) => void;
  },
): Promise<void> {
  const { id, workspaceId } = await findWorkspace(context.db, caller, copy.address, "change");
  await context.workspaces.copyIn(workspaceId, copy.fileName, copy.file, {
    clock: context.clock,
    onBytes: copy.onBytes,
    beforePublishing: () => noteDisturbance(context.db, workspaceId, context.clock.now()),
  });
  await refuseIfDeleted(context, { id, workspaceId });
}

/** After a file has been put in place. */
export async function refuseIfDeleted(
  context: Pick<Operations, "db" | "workspaces">,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): Promise<void> {
  // Deleted while the file was on its way: the removal may have been faster, and nobody would come for what is left.
  // In a transaction, because files go only when it is certain that their run was deleted.
  const { isDeleted, isKept } = await transaction(context.db, async (db) => ({
    isDeleted: (await oneWorkflow(db, id)).status === "deleted",
    isKept: await isWorkspaceKept(db, workspaceId),
  }));
  if (!isDeleted) return;
  // Another run may share it.
  if (!isKept) await context.workspaces.remove(workspaceId);
  throw workspaceGone();
}
