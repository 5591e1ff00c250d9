import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { createRerun } from "#operations/runs/start/create-rerun";
import type { StartedRun } from "#operations/runs/start/start-run";
import { checkInputs } from "#operations/runs/verification/recorded-inputs";
import { runResults } from "#operations/watch/run-results";
import { TOLERANCE } from "#plumbing/equivalence/equivalence";
import { Refusal } from "#plumbing/errors";
import { setNote } from "#store/runs/run-notes";
import { oneDefinition, type Run } from "#store/runs/runs";
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
const CONTINUING = new Set(["CACHE", "FROM"]);

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
  const { db } = context;
  const verified = await findRun(context, caller, address, "change");
  const name = fullNameOf(verified);
  if (verified.status !== "finished") throw notFinished(name, verified);
  const { results } = await runResults(db, verified);
  if (!results || results.files.length === 0) throw withoutOutputs(name);
  const definition = await oneDefinition(db, verified.id);
  const isLeftOut = await checkInputs(context, verified, definition);
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

function notFinished(name: string, { status }: Run): Refusal {
  return new Refusal(
    "conflict",
    `Workflow ${name} cannot be verified, because it is ${status}: only a finished run has outputs to compare.`,
    { errorCode: status === "deleted" ? "run-deleted" : "conflict" },
  );
}

function withoutOutputs(name: string): Refusal {
  return new Refusal(
    "conflict",
    `Workflow ${name} cannot be verified, because no declared output of it was recorded. ` +
      "Name its outputs in the specification (`outputs: files:`), and run it again.",
  );
}
