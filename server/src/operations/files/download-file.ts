import type { Readable } from "node:stream";
import path from "node:path";
import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace } from "#operations/files/find-workspace";
import { fullNameOf } from "#operations/full-name";
import type { OpenFile } from "#workspace/read/open-file";

export type { OpenFile };

export type Download =
  /** An open file: the caller must read or close the file. */
  | { readonly kind: "file"; readonly file: OpenFile }
  | { readonly kind: "archive"; readonly fileName: string; stream(): Readable };

/** Opens one file of a workspace, or an archive if the name is a folder or a pattern that several files match. */
export async function downloadFile(
  context: Pick<FileServices, "db" | "workspaces" | "clock">,
  caller: Caller,
  wanted: { readonly address: string; readonly fileName: string },
): Promise<Download> {
  const run = await findWorkspace(context, caller, wanted.address, "see");
  const found = await context.workspaces.of(run.workspaceId).find(wanted.fileName);
  if (found.kind === "file") return found;
  const time = archiveTime(context.clock.now());
  const fileName = `download_${fullNameOf(run)}_${path.posix.basename(wanted.fileName)}_${time}.zip`;
  return { kind: "archive", fileName, stream: () => found.stream() };
}

/** Formats a time for a file name: `2026-11-21-105741`. */
function archiveTime(epochMs: number): string {
  const [day, time] = new Date(epochMs).toISOString().slice(0, 19).split("T") as [string, string];
  return `${day}-${time.replaceAll(":", "")}`;
}
