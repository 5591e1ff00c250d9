import { describeFailure } from "#engines/describe-failure";
import type { JobEnded, Step } from "#engines/engine";
import { mayRetry, nextAttempt } from "#engines/steps/retries";
import { marksAtEnd } from "#engines/snakemake/picture";
import { ENDED_EARLY, OWN_JOBS, PLANNER, REPORT, reportJob } from "#engines/snakemake/planner-job";
import type { Progress } from "#engines/snakemake/progress";
import { isReportWanted } from "#engines/snakemake/report-file";
import { jobsAsked, type OpenJob, type SnakemakeState, without } from "#engines/snakemake/state";
import { explainingLines } from "#engines/snakemake/telling-lines";
import { attemptOf, type JobEnd, succeeded } from "#workflow/job/job";

/** Limit on planners of one run: a machine that loses its planner this often would lose it for ever. */
const PLANNERS_MAX = 5;
const KILLED = 128 + 9;

/** Handles the end of a job. Returns undefined if no such job is outstanding. */
export function jobEnded(progress: Progress, event: JobEnded): Step<SnakemakeState> | undefined {
  const { phase, planner, open } = progress.state;
  if (event.key === PLANNER)
    return phase === "planning" && attemptOf(event) === planner ? plannerEnded(progress, event) : undefined;
  if (event.key === REPORT && phase === "reporting") return reportEnded(progress, event);
  const job = Object.hasOwn(open, event.key) ? open[event.key]! : undefined;
  if (!job || job.attempt !== attemptOf(event)) return undefined;
  progress.set({ open: without(open, event.key) });
  return requestedEnded(progress, job, event);
}

function plannerEnded(progress: Progress, event: JobEnded): Step<SnakemakeState> {
  const { state } = progress;
  if (isLost(event.end) && state.planner < PLANNERS_MAX) {
    progress.say("Snakemake was lost. It plans again when no job that it asked for is running.", "ERROR");
    progress.set({ phase: "lost", waiting: [], verdicts: [] });
    return planAgainIfFree(progress);
  }
  if (!succeeded(event.end)) return progress.fail(...whyFailed(state, event));
  if (Object.keys(state.open).length + state.waiting.length > 0)
    return progress.fail("Snakemake ended before the jobs that it asked for.", PLANNER);
  const steps = state.plan?.steps ?? 0;
  if (steps > 0) progress.say(`${steps} of ${steps} steps (100%) done`);
  else progress.say("Nothing to be done: all results are up to date.");
  progress.set({ phase: "reporting" });
  // A group is one job of the run, and several of Snakemake's plan.
  progress.do(...marksAtEnd(state), { do: "expect", jobs: jobsAsked(state) + OWN_JOBS });
  progress.do({
    do: "submit",
    job: reportJob(progress.input, progress.server, state.planner),
  });
  return progress.step();
}

/**
 * Returns whether something else ended the planner: Snakemake never ends itself by SIGKILL, but the system does if
 * memory is short.
 */
function isLost({ reason, exitCode }: JobEnd): boolean {
  return reason === "lost" || (reason === "exited" && exitCode === KILLED);
}

/** Says which job failed. If none did, the planner's own last lines say why. */
function whyFailed({ failures }: SnakemakeState, event: JobEnded): [reason: string, job: string] {
  const failed = Object.entries(failures);
  const [first] = failed;
  if (first) {
    const more = failed.length > 1 ? ` ${failed.length - 1} more failed.` : "";
    return [first[1] + more, first[0]];
  }
  if (event.lastLines.at(-1) === ENDED_EARLY) return [ENDED_EARLY, PLANNER];
  return [[describeFailure("Snakemake", event.end), ...explainingLines(event.lastLines)].join("\n"), PLANNER];
}

function reportEnded(progress: Progress, event: JobEnded): Step<SnakemakeState> {
  const { end } = event;
  if (!succeeded(end) && isReportWanted(progress.input))
    return progress.fail(describeFailure("The report", end), REPORT);
  if (!succeeded(end) || end.exitCode !== 0)
    progress.say("There is no report of the run: the log of the job that makes it says why.", "ERROR");
  return progress.finish();
}

function requestedEnded(
  progress: Progress,
  { request, tries }: OpenJob,
  event: JobEnded,
): Step<SnakemakeState> {
  const { key, name } = request;
  if (succeeded(event.end)) {
    sayDone(progress);
    progress.judge({ request: request.request, ok: true, why: "" });
    return planAgainIfFree(progress);
  }
  const why = describeFailure(`Rule ${name}`, event.end);
  const { retries } = progress.input;
  if (progress.state.phase === "planning" && retries && mayRetry(retries, event.end, tries)) {
    const next = nextAttempt(retries, event.end, tries, why);
    progress.say(next.line);
    progress.submit(request, next.attempt, next.why, { delayMs: next.delayMs });
    return progress.step();
  }
  progress.say(why, "ERROR");
  progress.set({ failures: { ...progress.state.failures, [key]: why } });
  progress.judge({ request: request.request, ok: false, why });
  return planAgainIfFree(progress);
}

function sayDone(progress: Progress): void {
  const finished = progress.state.finished + 1;
  const steps = progress.state.plan?.steps ?? 0;
  progress.set({ finished });
  // The line for the last job appears only when Snakemake has ended.
  if (finished < steps)
    progress.say(`${finished} of ${steps} steps (${Math.floor((100 * finished) / steps)}%) done`);
}

/** Plans again after a planner was lost, once none of its jobs is left. */
function planAgainIfFree(progress: Progress): Step<SnakemakeState> {
  const { phase, open, planner } = progress.state;
  if (phase === "lost" && Object.keys(open).length === 0) progress.plan(planner + 1);
  return progress.step();
}
