import { describeFailure } from "#engines/describe-failure";
import type { EngineInput, JobEndEvent, Step } from "#engines/engine";
import { maybeCause } from "#engines/snakemake/cause";
import type { RequestedJob } from "#engines/snakemake/messages";
import { mayRetry, nextAttempt } from "#engines/steps/retries";
import { marksAtEnd } from "#engines/snakemake/picture";
import { ENDED_EARLY, OWN_JOBS, PLANNER, REPORT, reportJob } from "#engines/snakemake/planner-job";
import type { Progress } from "#engines/snakemake/progress";
import { isReportWanted } from "#engines/snakemake/report-file";
import { jobsAsked, type OpenJob, type SnakemakeState, without } from "#engines/snakemake/state";
import { explainingLines } from "#engines/snakemake/telling-lines";
import { attemptOf, type JobEnd, succeeded } from "#workflow/job/job";

/** Maximum number of planners per run: a machine that loses this many planners would lose all further planners. */
const PLANNERS_MAX = 5;
const KILLED = 128 + 9;
const NOT_FOUND = 127;
/** A line printed by the plugin. */
const MISSING_CONFIGFILE = /^Missing configfile: (.+)$/;

/** Handles the end of a job. Returns undefined if the job is not outstanding. */
export function jobEnded(progress: Progress, event: JobEndEvent): Step<SnakemakeState> | undefined {
  const { phase, planner, open } = progress.state;
  if (event.key === PLANNER)
    return phase === "planning" && attemptOf(event) === planner ? plannerEnded(progress, event) : undefined;
  if (event.key === REPORT && phase === "reporting") return reportEnded(progress, event);
  const job = Object.hasOwn(open, event.key) ? open[event.key]! : undefined;
  if (!job || job.attempt !== attemptOf(event)) return undefined;
  progress.set({ open: without(open, event.key) });
  return requestedEnded(progress, job, event);
}

function plannerEnded(progress: Progress, event: JobEndEvent): Step<SnakemakeState> {
  const { state } = progress;
  if (isLost(event.end) && state.planner < PLANNERS_MAX) {
    progress.say("Snakemake was lost. It plans again when no job that it asked for is running.", "ERROR");
    progress.set({ phase: "lost", waiting: [] });
    return planAgainIfFree(progress);
  }
  if (!succeeded(event.end)) return progress.fail(...whyFailed(progress, event));
  if (Object.keys(state.open).length + state.waiting.length > 0)
    return progress.fail("Snakemake ended before the jobs that it asked for.", PLANNER);
  const steps = state.plan?.steps ?? 0;
  if (steps > 0) progress.say(`${steps} of ${steps} steps (100%) done`);
  else progress.say("Nothing to be done: all results are up to date.");
  progress.set({ phase: "reporting" });
  // A group is one job of the run, but several jobs of Snakemake's plan.
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

/** Returns the failed job and its reason. If no job failed, the reason comes from the planner's last lines. */
function whyFailed({ state, input }: Progress, event: JobEndEvent): [reason: string, job: string] {
  const failed = Object.entries(state.failures);
  const [first] = failed;
  if (first) {
    const more = failed.length > 1 ? ` ${failed.length - 1} more failed.` : "";
    const [sentence, ...lines] = first[1].split("\n");
    return [[sentence + more, ...lines].join("\n"), first[0]];
  }
  if (event.lastLines.at(-1) === ENDED_EARLY) return [ENDED_EARLY, PLANNER];
  const lines = explainingLines(fromWorkspace(input, event.lastLines));
  const cause = maybeCause(lines) ?? describeFailure("Snakemake", event.end);
  return [[cause + aboutMissingConfigfile(event.lastLines), ...lines].join("\n"), PLANNER];
}

/** Shows paths of the workspace as written in the Snakefile. */
function fromWorkspace({ run }: EngineInput, lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replaceAll(`${run.workspaceFolder}/`, ""));
}

/** The last lines of a planner name the files that the plugin could not find. */
function aboutMissingConfigfile(lastLines: readonly string[]): string {
  const missing = lastLines.flatMap((line) => MISSING_CONFIGFILE.exec(line)?.[1] ?? []);
  if (missing.length === 0) return "";
  return ` The configfile ${missing.join(" and ")} of the Snakefile is missing: add it to the inputs, or give all that it holds as parameters.`;
}

function reportEnded(progress: Progress, event: JobEndEvent): Step<SnakemakeState> {
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
  event: JobEndEvent,
): Step<SnakemakeState> {
  const { key } = request;
  if (succeeded(event.end)) {
    sayDone(progress);
    progress.judge({ request: request.request, ok: true, why: "" });
    return planAgainIfFree(progress);
  }
  const [why, ...lines] = describeRule(progress.input, request, event);
  const { retries } = progress.input;
  if (progress.state.phase === "planning" && retries && mayRetry(retries, event.end, tries)) {
    const next = nextAttempt(retries, event.end, tries, why);
    progress.say(next.line);
    progress.submit(request, next.attempt, next.why, { delayMs: next.delayMs });
    return progress.step();
  }
  progress.say(why, "ERROR");
  progress.set({ failures: { ...progress.state.failures, [key]: [why, ...lines].join("\n") } });
  progress.judge({ request: request.request, ok: false, why });
  return planAgainIfFree(progress);
}

/** Returns why a rule failed. The call of Snakemake that runs a script or Python code prints the cause among much else. */
function describeRule(
  input: EngineInput,
  { name, needsSnakemake, unused }: RequestedJob,
  { end, lastLines }: JobEndEvent,
): [why: string, ...lines: string[]] {
  const why = describeFailure(`Rule ${name}`, end);
  if (end.reason !== "exited") return [why];
  if (end.exitCode === NOT_FOUND && unused !== null)
    return [
      `${why} Its "${unused}" is ignored: install the programs on this machine, or name an image with "container:".`,
    ];
  if (!needsSnakemake) return [why];
  const lines = explainingLines(fromWorkspace(input, lastLines));
  const cause = maybeCause(lines);
  return cause === undefined ? [why] : [`Rule ${name} failed: ${cause}`, ...lines];
}

function sayDone(progress: Progress): void {
  const finished = progress.state.finished + 1;
  const steps = progress.state.plan?.steps ?? 0;
  progress.set({ finished });
  // The line for the last job appears only when Snakemake has ended.
  if (finished < steps)
    progress.say(`${finished} of ${steps} steps (${Math.floor((100 * finished) / steps)}%) done`);
}

/** Plans again after the loss of a planner, once its jobs have ended and the next planner can read all answers. */
export function planAgainIfFree(progress: Progress): Step<SnakemakeState> {
  const { phase, open, verdicts, told, planner } = progress.state;
  const isFree = Object.keys(open).length === 0 && verdicts.length === 0 && !told.isAsked;
  if (phase === "lost" && isFree) progress.plan(planner + 1);
  return progress.step();
}
