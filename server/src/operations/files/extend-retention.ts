import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { findRun, type Run } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { extendRules, type KeptRule, rulesOfRun } from "#store/workspaces/retention";
import { maybeRun } from "#store/runs/runs";
import { parseAddress } from "#workflow/run/run-name";

export const EXTENSION_DAYS_MAX = 3650;

export interface ExtendedRules {
  readonly run: Run;
  readonly rules: readonly KeptRule[];
}

/**
 * Adds days to the retention rules of a run that are still to be applied. Its owner may, and the
 * administrator, who names the run of another user by its id.
 */
export async function extendRetention(
  context: Pick<FileServices, "db" | "clock"> & Keyed,
  caller: Caller,
  { address, days }: { readonly address: string; readonly days: number },
): Promise<ExtendedRules> {
  const run = await runToExtend(context, caller, address);
  const extended = await changing(context, async (tx) => {
    const count = await extendRules(tx, run, days);
    if (count === 0) throw nothingToExtend(run);
    return { run, rules: await rulesOfRun(tx, run.id) };
  });
  crashPoint("retention-extended");
  return extended;
}

async function runToExtend(
  context: Pick<FileServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<Run> {
  const parsed = parseAddress(address);
  const any = caller.isAdmin && parsed.kind === "id" ? await maybeRun(context.db, parsed.id) : undefined;
  return any ?? findRun(context, caller, address, "change");
}

function nothingToExtend(run: Run): Refusal {
  return new Refusal(
    "conflict",
    `Nothing was extended: ${fullNameOf(run)} has no retention rule that is still to be applied.`,
  );
}
