import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { createRerun } from "#operations/runs/start/create-rerun";
import type { StartedRun } from "#operations/runs/start/start-run";
import { mustBeVerifiable } from "#operations/runs/verification/verifiable";
import { TOLERANCE } from "#plumbing/equivalence/equivalence";
import { setNote } from "#store/runs/run-notes";
import type { Run } from "#store/runs/runs";
import { insertVerification } from "#store/runs/verifications";

type VerificationContext = Parameters<typeof createRerun>[0];

export interface StartedVerification {
  readonly verified: Run;
  readonly repetition: StartedRun;
}

export interface NewVerificationInput {
  readonly address: string;
  readonly tolerance?: number | undefined;
}

/** Options of a start that say where a run continues earlier work. A repetition does all the work again. */
export const CONTINUING = new Set(["CACHE", "FROM"]);

/**
 * Runs a finished run again from its recorded specification, parameters and inputs, in a workspace of its own, to compare
 * the outputs. The repetition is an ordinary run with a note that names the original.
 */
export async function startVerification(
  context: VerificationContext,
  caller: Caller,
  { address, tolerance = TOLERANCE }: NewVerificationInput,
  signal: AbortSignal,
): Promise<StartedVerification> {
  const verified = await findRun(context, caller, address, "change");
  const name = fullNameOf(verified);
  const { definition, isLeftOut } = await mustBeVerifiable(context, verified);
  const options = Object.entries(definition.operationalOptions).filter(([key]) => !CONTINUING.has(key));
  const input = {
    address: verified.id,
    document: undefined,
    parameters: definition.inputParameters,
    options: Object.fromEntries(options),
    fresh: true,
    fromStep: null,
  };
  const repetition = await createRerun(context, caller, input, signal, {
    isLeftOut,
    leavesOutEmptyFolders: true,
    async recordMore(connection, run) {
      await insertVerification(connection, { runId: run.id, verifiedId: verified.id, tolerance });
      await setNote(connection, run.seq, `Repeats ${name} to verify its outputs.`);
    },
  });
  return { verified, repetition };
}
