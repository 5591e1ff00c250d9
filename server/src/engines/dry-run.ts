import type { Judgement } from "#engines/reuse";
import type { Job, JobEnd } from "#workflow/job/job";

/**
 * Finds out, by a program, what a restart would run, in a language that only the program can plan. The program is a job
 * beside the run, because it executes the user's code.
 */
export interface DryRun<Input> {
  /** Returns the job of the dry run. The job changes only files that no user sees. */
  job(input: Input): DryRunJob;
  /** Reads what the job has printed. */
  read(input: Input, printed: Printed): DryRunResult;
}

export interface DryRunJob {
  readonly job: Job;
  /** Texts of files in the folder that the variable REANA_SECRETS_DIR names, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The output of a job that has ended. */
export interface Printed {
  readonly end: JobEnd;
  readonly text: string;
}

/** `problem` is a sentence, if the restart could not be planned. */
export type DryRunResult =
  | { readonly jobs: readonly Judgement[]; readonly isComplete: boolean }
  | { readonly problem: string };
