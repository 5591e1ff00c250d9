import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace } from "#operations/files/find-workspace";
import type { Page, Paging } from "#operations/page";
import type { FileEntry, ListRequest } from "#workspace/find/list-files";

export type { FileEntry };

export interface FilesQuery extends Pick<ListRequest, "pattern" | "search"> {
  /** UUID or name of the run. */
  readonly address: string;
  readonly paging: Paging;
}

/** Lists the files of a workspace, by name. Without a page size it returns all files, up to the limit of a listing. */
export async function listFiles(
  context: Pick<FileServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  wanted: FilesQuery,
): Promise<Page<FileEntry>> {
  const { workspaceId } = await findWorkspace(context, caller, wanted.address, "see");
  const { address: _, paging, ...request } = wanted;
  const { page, size } = paging;
  const part = size === undefined ? {} : { offset: (page - 1) * size, limit: size };
  const { files, total } = await context.workspaces.of(workspaceId).list({ ...request, ...part });
  return { items: files, total, ...paging };
}
