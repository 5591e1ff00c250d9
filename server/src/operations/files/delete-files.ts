import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import { markExternalChange } from "#store/restarts";
import type { Deleted } from "#workspace/delete-files";

/** Deletes the files that a path or a pattern matches. Returns which went and which stayed. No match is no error. */
export async function deleteFiles(
  context: Pick<Operations, "db" | "workspaces" | "clock" | "disk">,
  caller: Caller,
  wanted: { readonly address: string; readonly fileName: string },
): Promise<Deleted> {
  const { workspaceId } = await findWorkspace(context.db, caller, wanted.address, "change");
  context.disk.ensureRoom();
  await markExternalChange(context.db, workspaceId, context.clock.now());
  return context.workspaces.deleteFiles(workspaceId, wanted.fileName);
}
