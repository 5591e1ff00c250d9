import { fullNameOf } from "#operations/full-name";
import { checkInputs } from "#operations/runs/verification/recorded-inputs";
import { runResults } from "#operations/watch/run-results";
import { Refusal } from "#plumbing/errors";
import { oneDefinition, type Run, type RunDefinition } from "#store/runs/runs";

/** The start of a repetition: the recorded specification and inputs of a run. */
export interface Verifiable {
  readonly definition: RunDefinition;
  /** Returns whether a file was put among the inputs after the start. */
  readonly isLeftOut: (path: string) => boolean;
}

/** Refuses unless the run has finished, has recorded outputs, and still has its recorded inputs. */
export async function mustBeVerifiable(
  context: Parameters<typeof checkInputs>[0],
  verified: Run,
): Promise<Verifiable> {
  const { db } = context;
  const name = fullNameOf(verified);
  if (verified.status !== "finished") throw notFinished(name, verified);
  const { results } = await runResults(db, verified);
  if (!results || results.files.length === 0) throw withoutOutputs(name);
  const definition = await oneDefinition(db, verified.id);
  return { definition, isLeftOut: await checkInputs(context, verified, definition, "verified") };
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
