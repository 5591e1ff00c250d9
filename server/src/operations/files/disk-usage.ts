import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findWorkspace } from "#operations/files/find-workspace";
import type { Run } from "#store/runs/runs";
import type { Usage, UsageRequest } from "#workspace/usage/disk-usage";

/** Returns the disk space that the files of a workspace take. */
export async function diskUsage(
  context: Pick<FileServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  { address, ...request }: UsageRequest & { readonly address: string },
): Promise<{ readonly run: Run; readonly usage: readonly Usage[] }> {
  const run = await findWorkspace(context, caller, address, "see");
  return { run, usage: await context.workspaces.of(run.workspaceId).diskUsage(request) };
}
