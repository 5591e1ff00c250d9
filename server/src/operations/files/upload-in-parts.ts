import type { Readable } from "node:stream";
import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace } from "#operations/files/find-workspace";
import { refuseIfDeleted } from "#operations/files/upload-file";
import { withRoom } from "#operations/quota/room";
import { Refusal } from "#plumbing/errors";
import { markExternalChange } from "#store/runs/restarts";
import type { UploadState } from "#workspace/write/uploads";

export type { UploadState };

type UploadContext = Pick<FileServices, "db" | "clock" | "workspaces" | "uploads" | "quotas">;

/** Address of an upload: the id of the run and of the upload. */
export interface UploadAddress {
  /** UUID or name of the run. */
  readonly address: string;
  readonly upload: string;
}

export interface UploadAnnounced {
  readonly address: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly isExecutable: boolean;
}

/** Limit against typing errors, in bytes. JavaScript could count larger files than any disk holds. */
const BYTES_MAX = 2 ** 50;

/** Announces a file sent in parts. Repeating the announcement returns the parts received so far. */
export async function beginUpload(
  context: UploadContext,
  caller: Caller,
  { address, fileName, bytes, sha256, isExecutable }: UploadAnnounced,
): Promise<UploadState> {
  const { id, workspaceId, ownerId } = await findWorkspace(context, caller, address, "change");
  if (bytes > BYTES_MAX)
    throw new Refusal("too-large", `A file of ${bytes} bytes is too large: the maximum is ${BYTES_MAX}.`);
  const name = await context.workspaces.of(workspaceId).checkPlace(fileName);
  await refuseTooLarge(context, ownerId, name, bytes);
  return context.uploads.begin({ runId: id, name, bytes, sha256: sha256.toLowerCase(), isExecutable });
}

/**
 * Refuses a file too large for the quota before its first part arrives. The quota is checked again when the
 * file is complete.
 */
async function refuseTooLarge(
  { quotas }: UploadContext,
  ownerId: string,
  name: string,
  bytes: number,
): Promise<void> {
  const room = await quotas.openRoom(ownerId);
  try {
    await room.take(bytes, name);
  } finally {
    room.close(false);
  }
}

export async function getUpload(
  context: UploadContext,
  caller: Caller,
  at: UploadAddress,
): Promise<UploadState> {
  const { id } = await findWorkspace(context, caller, at.address, "change");
  return context.uploads.look(id, at.upload);
}

/** Receives a part, and keeps as many of its bytes as arrive. */
export async function uploadPart(
  context: UploadContext,
  caller: Caller,
  {
    offset,
    receive,
    ...at
  }: UploadAddress & {
    readonly offset: number;
    receive<Result>(write: (content: Readable) => Promise<Result>): Promise<Result>;
  },
): Promise<UploadState> {
  const { id } = await findWorkspace(context, caller, at.address, "change");
  return receive((content) => context.uploads.append(id, at.upload, { offset, content }));
}

/** Puts the file into the workspace, once it is whole and has the announced checksum. */
export async function completeUpload(
  context: UploadContext,
  caller: Caller,
  at: UploadAddress,
): Promise<UploadState> {
  const { id, workspaceId, ownerId } = await findWorkspace(context, caller, at.address, "change");
  const state = await context.uploads.complete(id, at.upload, async (file, { name, bytes }) => {
    const room = await context.quotas.openRoom(ownerId);
    await withRoom(room, async () => {
      await room.take(bytes, name);
      await markExternalChange(context.db, workspaceId, context.clock.now());
      await context.workspaces.of(workspaceId).publish(file, name);
    });
  });
  await refuseIfDeleted(context, { id, workspaceId });
  return state;
}

export async function abandonUpload(
  context: UploadContext,
  caller: Caller,
  at: UploadAddress,
): Promise<void> {
  const { id } = await findWorkspace(context, caller, at.address, "change");
  await context.uploads.abandon(id, at.upload);
}
