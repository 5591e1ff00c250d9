import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/find-workspace";
import { refuseIfDeleted } from "#operations/upload-file";
import type { FileRecord } from "#plumbing/file-records";
import { noteDisturbance } from "#store/restarts";
import type { WrittenFiles } from "#workspace/write-many";

/** Many small files at once: what is asked once for all of them is what a single one costs most of its time. */

/** Each whole or not at all. When one is refused, those before it are kept, and nothing after it is read. */
export async function uploadFiles(
  context: Pick<Operations, "db" | "workspaces" | "clock">,
  caller: Caller,
  { address, files }: { readonly address: string; readonly files: AsyncIterable<FileRecord> },
): Promise<WrittenFiles> {
  const { db, clock, workspaces } = context;
  const { id, workspaceId } = await findWorkspace(db, caller, address, "change");
  // A run that goes on in the workspace is said to be disturbed.
  const announce = () => noteDisturbance(db, workspaceId, clock.now());
  const written = await workspaces.writeMany(workspaceId, files, announce);
  await refuseIfDeleted(context, { id, workspaceId });
  return written;
}

/** Those of these names that are there and no longer than that, in that order; whoever misses one asks for it by itself. */
export async function readFiles(
  { db, workspaces }: Pick<Operations, "db" | "workspaces">,
  caller: Caller,
  asked: { readonly address: string; readonly names: readonly string[]; readonly maxBytes: number },
): Promise<AsyncIterable<FileRecord>> {
  const { workspaceId } = await findWorkspace(db, caller, asked.address, "see");
  return workspaces.readMany(workspaceId, asked.names, asked.maxBytes);
}
