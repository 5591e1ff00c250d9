import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace } from "#operations/files/find-workspace";
import { refuseIfDeleted } from "#operations/files/upload-file";
import { withRoom, type Room } from "#operations/quota/room";
import type { FileRecord } from "#plumbing/files/file-records";
import { markExternalChange } from "#store/runs/restarts";
import type { WrittenFiles } from "#workspace/write/write-many";

/** Many small files in one request: checks that take most of the time for a single file are made once for all. */

/** Writes each file whole or not at all. After a refusal, the files before it are kept and nothing more is read. */
export async function uploadFiles(
  context: Pick<FileServices, "db" | "workspaces" | "clock" | "quotas">,
  caller: Caller,
  { address, files }: { readonly address: string; readonly files: AsyncIterable<FileRecord> },
): Promise<WrittenFiles> {
  const { db, clock, workspaces } = context;
  const { id, workspaceId, ownerId } = await findWorkspace(context, caller, address, "change");
  const room = await context.quotas.openRoom(ownerId);
  // Record that a user changed files of a live run.
  const announce = () => markExternalChange(db, workspaceId, clock.now());
  const written = await withRoom(room, () =>
    workspaces.of(workspaceId).writeMany(withinRoom(room, files), announce),
  );
  await refuseIfDeleted(context, { id, workspaceId });
  return written;
}

async function* withinRoom(room: Room, files: AsyncIterable<FileRecord>): AsyncGenerator<FileRecord> {
  for await (const file of files) {
    await room.take(file.content.length, file.name);
    yield file;
  }
}

/**
 * Returns the named files that exist and are at most `maxBytes` long, in the given order. The client requests each of
 * the others alone.
 */
export async function readFiles(
  context: Pick<FileServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  asked: { readonly address: string; readonly names: readonly string[]; readonly maxBytes: number },
): Promise<AsyncIterable<FileRecord>> {
  const { workspaceId } = await findWorkspace(context, caller, asked.address, "see");
  return context.workspaces.of(workspaceId).readMany(asked.names, asked.maxBytes);
}
