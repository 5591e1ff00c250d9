import type { Engine, EngineEvent, EngineInput, Step } from "#engines/engine";
import { placesLeft } from "#engines/outstanding";
import { createDryRun } from "#engines/snakemake/dry-run";
import { takeMessages } from "#engines/snakemake/hear";
import { jobEnded, planAgainIfFree } from "#engines/snakemake/job-ended";
import { FIRST_GRAPH } from "#engines/snakemake/picture";
import { plannerJob, type SnakemakeProgram } from "#engines/snakemake/planner-job";
import { prepareSnakemake, problemsOf, type SnakemakeModel } from "#engines/snakemake/prepare";
import { Progress } from "#engines/snakemake/progress";
import { FIRST_STATE, type SnakemakeState } from "#engines/snakemake/state";

/**
 * Snakemake: a Snakefile is Python, so real Snakemake plans the run, as a job of the run. Its plugin requests jobs and
 * receives their results, through two files; the engine turns requests into jobs, and ends of jobs into answers.
 */
export function createSnakemakeEngine(server: SnakemakeProgram): Engine<SnakemakeState> {
  return {
    language: "snakemake",
    version: 3,
    check: problemsOf,
    prepare: prepareSnakemake,
    dryRun: createDryRun(server),
    load: (input) => ({
      start: () => start(input, server),
      apply: (state, event) => apply(new Progress(input, server, state), event),
      graph: () => FIRST_GRAPH,
    }),
  };
}

/** The planner, the ask for messages, and one job. */
const OUTSTANDING_MIN = 3;

function start(input: EngineInput, server: SnakemakeProgram): Step<SnakemakeState> {
  const progress = new Progress(input, server, FIRST_STATE);
  const most = placesLeft(input.run, 0);
  if (most < OUTSTANDING_MIN) {
    const needed = `A Snakemake workflow needs a server with --max-outstanding of at least ${OUTSTANDING_MIN}`;
    return progress.fail(`${needed}; this run may have ${most}.`);
  }
  const { warnings = [] } = input.model as SnakemakeModel;
  for (const line of warnings) progress.say(`Warning: ${line}`, "ERROR");
  progress.say("Building DAG of jobs...");
  progress.do({ do: "submit", job: plannerJob(input, server, 1) });
  progress.hearNext();
  return progress.step();
}

function apply(progress: Progress, event: EngineEvent): Step<SnakemakeState> {
  const { state } = progress;
  const unchanged = { state, instructions: [] };
  if (state.phase === "ended") return unchanged;
  if (event.kind === "job-ended") return jobEnded(progress, event) ?? unchanged;
  if (event.id === progress.hearId() && state.phase !== "reporting") {
    if (event.kind === "refused") return progress.fail(`Snakemake cannot be heard: ${event.reason}`);
    return event.kind === "heard" ? takeMessages(progress, event) : unchanged;
  }
  if (state.told.isAsked && event.id === progress.tellId()) {
    if (event.kind === "refused")
      return progress.fail(`Snakemake cannot be told how jobs ended: ${event.reason}`);
    if (event.kind === "told") {
      progress.set({ told: { ...state.told, isAsked: false } });
      return planAgainIfFree(progress);
    }
  }
  return unchanged;
}
