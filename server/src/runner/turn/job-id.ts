import type { Instruction, Submit, TakeOver } from "#engines/engine";
import { derivedUuid } from "#plumbing/ids";
import { attemptOf, type Job } from "#workflow/job/job";

/** A job issued by an engine, with the id of its attempt. */
export interface IssuedJob {
  readonly id: string;
  readonly job: Job;
}

/**
 * Derives the id of a job's attempt. The id is deterministic, so submitting an attempt twice has no further
 * effect.
 */
export function jobIdOf(
  runId: string,
  job: { readonly key: string; readonly attempt?: number | undefined },
): string {
  return derivedUuid(runId, job.key, attemptOf(job));
}

/** The resulting instructions of some events, per event. Instructions about a job hold the job's id. */
export type Responses = readonly (readonly IssuedInstruction[])[];

export type IssuedInstruction =
  | Exclude<Instruction, Submit | TakeOver>
  | ((Submit | TakeOver) & { readonly id: string });

/** Adds the ids of jobs to an engine's instructions. No later code derives ids again. */
export function withJobIds(runId: string, responses: readonly (readonly Instruction[])[]): Responses {
  return responses.map((instructions) =>
    instructions.map((instruction) =>
      instruction.do === "submit" || instruction.do === "take-over"
        ? { ...instruction, id: jobIdOf(runId, instruction.job) }
        : instruction,
    ),
  );
}

/** Returns the jobs that are to run, in order. */
export function submittedIn(responses: Responses): IssuedJob[] {
  return responses.flatMap((instructions) =>
    instructions.flatMap((one) => (one.do === "submit" ? [{ id: one.id, job: one.job }] : [])),
  );
}
