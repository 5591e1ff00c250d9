import path from "node:path";
import type { CliContext } from "#cli/context";
import type { Analysis, AnalysisOptions } from "#cli/run/analysis/analysis";
import { copyOutputs, type CopiedOutputs } from "#cli/run/copy-outputs";
import { startRun, type RunSession, type Outcome, waitForEnd } from "#cli/run/execute-run";
import type { Display } from "#cli/run/display/display";
import type { ServerOptions } from "#cli/connection/server-variables";
import type { CreatedRun } from "#cli/run/service/run-service";
import { reportInJson, reportInWords } from "#cli/run/display/report";

export interface RunOptions extends AnalysisOptions, ServerOptions {
  /** True to follow the newest run of the analysis, which an earlier command has started, instead of a new one. */
  readonly resume?: boolean;
  /** If false, the outputs stay in the workspace. */
  readonly outputs: boolean;
  readonly json?: boolean;
  /** True if a declared output that was not produced makes the exit code 1. */
  readonly strict?: boolean;
  /** True if the output of the jobs is shown. */
  readonly verbose?: boolean;
}

/** Carries out one run from start to end and reports the result. */
export async function runOnce(
  cli: CliContext,
  session: RunSession,
  { analysis, display, options }: { analysis: Analysis; display: Display; options: RunOptions },
): Promise<Outcome & { readonly copied: CopiedOutputs | undefined }> {
  const run = options.resume
    ? await startedBefore(session, analysis, display)
    : await startNow(session, analysis, display);
  const outcome = await waitForEnd(session, run, display);
  const failure = outcome.status === "failed" ? await session.service.failure(run.id) : undefined;
  const isWanted = options.outputs && ["finished", "failed"].includes(outcome.status);
  let copied: CopiedOutputs | undefined;
  try {
    copied = isWanted ? await copyBack(session, analysis, outcome, display) : undefined;
  } finally {
    // The reason of a failure is shown even if the partial outputs cannot be copied.
    display.end();
    const report = options.json === true ? reportInJson : reportInWords;
    report(cli, { outcome, failure, copied, server: session.service.server });
  }
  return { ...outcome, copied };
}

function startNow(session: RunSession, analysis: Analysis, display: Display): Promise<CreatedRun> {
  for (const sentence of analysis.leftOut) display.say(sentence);
  return startRun(session, analysis, display);
}

/** Returns the newest run of the analysis. Its jobs have continued, or continue now. */
async function startedBefore(
  { service }: RunSession,
  analysis: Analysis,
  display: Display,
): Promise<CreatedRun> {
  const run = await service.find(analysis.name);
  // The declared outputs are those in the analysis.
  await analysis.prepare(service, run);
  display.created(run);
  display.say(`Following ${run.name}, which was started earlier.`);
  return run;
}

/**
 * Copies back the outputs. The outputs of a failed run may be incomplete, so they go into a separate folder.
 */
export function copyBack(
  { service }: RunSession,
  analysis: Analysis,
  { run, status }: Outcome,
  { transfer }: Pick<Display, "transfer">,
): Promise<CopiedOutputs> {
  const { root, below } = analysis.target;
  const isFinished = status === "finished";
  return copyOutputs({
    service,
    run,
    outputs: analysis.outputs(),
    target: { root, below: isFinished ? below : path.posix.join(below, "failed", run.name) },
    followLinks: analysis.followLinks,
    inputMarks: isFinished ? analysis.inputMarks() : new Map(),
    transfer,
  });
}
