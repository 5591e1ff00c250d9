import type { Judgement } from "#engines/reuse";
import type { Job, JobEnd } from "#workflow/job/job";

/**
 * Finds out, by a program, the jobs that a restart would run, in a language that only the program can plan. The program
 * is a job outside of any run, because it executes the user's code.
 */
export interface DryRun<Input> {
  /** Returns the job of the dry run. The job changes only files that no user sees. */
  job(input: Input): DryRunJob;
  /** Reads the output of the job. */
  read(input: Input, printed: Printed): DryRunResult;
}

export interface DryRunJob {
  readonly job: Job;
  /** Texts of files in the folder REANA_SECRETS_DIR, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The output of an ended job. */
export interface Printed {
  readonly end: JobEnd;
  readonly text: string;
}

/** `problem` is a sentence, if the restart could not be planned. */
export type DryRunResult =
  | { readonly jobs: readonly Judgement[]; readonly isComplete: boolean }
  | { readonly problem: string };
