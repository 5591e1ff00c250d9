import { absentRun } from "#operations/absent-run";
import type { Basics, Caller } from "#operations/context";
import { fullNameOf } from "#operations/full-name";
import { mayChange, maySee } from "#operations/permission";
import { Refusal } from "#plumbing/errors";
import { maybeRun, maybeRunByName, type Run } from "#store/runs/runs";
import { granteesOf } from "#store/sharing/groups";
import { maybeSharedRunByName } from "#store/runs/shared-runs";
import { type Address, parseAddress } from "#workflow/run/run-name";

export type { Run };

type FindRunContext = Pick<Basics, "db" | "clock">;

/**
 * Returns the run at an address, a UUID or a name, if the caller may see or change the run. A name is looked
 * up among the caller's own runs, then among runs shared with the caller. Deleted runs are found too, so
 * their end and logs remain readable.
 */
export async function findRun(
  context: FindRunContext,
  caller: Caller,
  address: string,
  purpose: "see" | "change",
): Promise<Run> {
  const parsed = parseAddress(address);
  const run = await lookUp(context, caller, parsed);
  if (!run) throw await absentRun(context.db, caller, address, parsed);
  if (mayChange(caller, run)) return run;
  const isReader = await maySee(context, caller, run);
  if (isReader && purpose === "see") return run;
  throw isReader ? readOnly(run) : notAllowed(caller, run);
}

async function lookUp(
  { db, clock }: FindRunContext,
  caller: Caller,
  address: Address,
): Promise<Run | undefined> {
  if (address.kind === "id") return maybeRun(db, address.id);
  if (address.kind === "invalid") throw new Refusal("absent", address.message);
  const own = await maybeRunByName(db, caller.id, address.name, address.run);
  if (own) return own;
  const others = { kind: "others", granteeIds: await granteesOf(db, caller.id), nowMs: clock.now() } as const;
  return maybeSharedRunByName(db, caller.id, others, address);
}

function notAllowed(caller: Caller, run: Run): Refusal {
  return new Refusal("forbidden", `User ${caller.id} is not allowed to access workflow ${run.id}`);
}

/** Refusal of a change to a run that the caller may only read. */
export function readOnly(run: Run): Refusal {
  return new Refusal(
    "forbidden",
    `Workflow ${fullNameOf(run)} is shared with you to read: only its owner can change it.`,
    { errorCode: "shared-to-read" },
  );
}
