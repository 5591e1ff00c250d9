import type { ErrorCode } from "#plumbing/error-codes";
import { Refusal } from "#plumbing/errors";
import type { RunStatus } from "#workflow/run/run-status";

type Verb = "started" | "restarted" | "rerun" | "stopped" | "deleted";

const AGAIN = {
  created: "it has not been started. Start it.",
  queued: "it is queued. Stop it first, or wait for its end.",
  pending: "it is about to run. Stop it first, or wait for its end.",
  running: "it is currently running. Stop it first, or wait for its end.",
  deleted: "it was deleted. Create it again to run it.",
};

/**
 * Reasons why a run in a status cannot be started, restarted, rerun, stopped or deleted. If a status is missing from a
 * row, the verb is carried out, so the table and `run-status.ts` must agree; a test compares them.
 */
const REASONS: Readonly<Record<Verb, Partial<Readonly<Record<RunStatus, string>>>>> = {
  started: {
    queued: "it has already been queued.",
    pending: "it is already about to run.",
    running: "it is already running.",
    finished: "it has already finished. Restart it to run it once more.",
    failed: "it has already failed. Restart it to run it once more.",
    stopped: "it was stopped. Restart it to run it once more.",
    deleted: "it was deleted. Create it again to run it.",
  },
  restarted: AGAIN,
  rerun: AGAIN,
  stopped: {
    created: "it has not been started.",
    finished: "it has already finished.",
    failed: "it has already failed.",
    deleted: "it was deleted.",
  },
  deleted: {
    queued: "it is queued. Stop it first.",
    pending: "it is about to run. Stop it first.",
    running: "it is currently running. Stop it first.",
  },
};

const CODES: Readonly<Record<RunStatus, ErrorCode>> = {
  created: "run-not-started",
  queued: "run-live",
  pending: "run-live",
  running: "run-live",
  finished: "run-ended",
  failed: "run-ended",
  stopped: "run-ended",
  deleted: "run-deleted",
};

/** Returns the reason, or undefined if the verb can be carried out. */
export function whyNot(verb: Verb, status: RunStatus): string | undefined {
  return REASONS[verb][status];
}

/** Returns the refusal of a verb in a status. `runName` is the full name, such as `w.1`. */
export function statusConflict(verb: Verb, runName: string, status: RunStatus): Refusal {
  const reason = whyNot(verb, status) ?? `it was ${status} at that moment. Check its status and try again.`;
  return new Refusal("conflict", `Workflow ${runName} could not be ${verb} because ${reason}`, {
    errorCode: CODES[status],
  });
}
