import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import type { Workflow } from "#store/workflows";
import type { Usage, UsageRequest } from "#workspace/disk-usage";

/** Returns the disk space that the files of a workspace take. */
export async function diskUsage(
  context: Pick<Operations, "db" | "workspaces">,
  caller: Caller,
  { address, ...request }: UsageRequest & { readonly address: string },
): Promise<{ readonly workflow: Workflow; readonly usage: readonly Usage[] }> {
  const workflow = await findWorkspace(context.db, caller, address, "see");
  return { workflow, usage: await context.workspaces.diskUsage(workflow.workspaceId, request) };
}
