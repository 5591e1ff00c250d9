import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findRun } from "#operations/find-run";
import { Refusal } from "#plumbing/errors";
import type { Run } from "#store/runs/runs";

/** Returns the run at an address if the caller may see or change its files. Refuses a deleted run. */
export async function findWorkspace(
  context: Pick<FileServices, "db" | "clock">,
  caller: Caller,
  address: string,
  purpose: "see" | "change",
): Promise<Run> {
  const run = await findRun(context, caller, address, purpose);
  if (run.status === "deleted") throw workspaceGone();
  return run;
}

/** Refusal in REANA's wording. */
export function workspaceGone(): Refusal {
  return new Refusal("absent", "Workspace does not exist.");
}
