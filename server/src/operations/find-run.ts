import { absentRun } from "#operations/absent-run";
import type { Caller } from "#operations/context";
import { mayChange, maySee } from "#operations/permission";
import { Refusal } from "#plumbing/errors";
import type { Connection } from "#store/database/database";
import { maybeRun, maybeRunByName, type Run } from "#store/runs/runs";
import { parseAddress } from "#workflow/run-name";

export type { Run };

/**
 * Returns the run at an address, a UUID or a name, if the caller may see or change it. A name is looked up among
 * the caller's own runs. Deleted runs are found too, so that their end and logs can still be read.
 */
export async function findRun(
  db: Connection,
  caller: Caller,
  address: string,
  purpose: "see" | "change",
): Promise<Run> {
  const run = await lookUp(db, caller, address);
  if (!run) throw await absentRun(db, caller, address);
  const isAllowed = purpose === "see" ? maySee(caller, run) : mayChange(caller, run);
  if (isAllowed) return run;
  throw new Refusal("forbidden", `User ${caller.id} is not allowed to access workflow ${run.id}`);
}

function lookUp(db: Connection, caller: Caller, text: string): Promise<Run | undefined> {
  const address = parseAddress(text);
  switch (address.kind) {
    case "id":
      return maybeRun(db, address.id);
    case "name":
      return maybeRunByName(db, caller.id, address.name, address.run);
    case "invalid":
      throw new Refusal("absent", address.message);
  }
}
