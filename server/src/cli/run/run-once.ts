import path from "node:path";
import type { CliHost } from "#cli/host";
import type { Analysis, AnalysisOptions } from "#cli/run/analysis/analysis";
import { bringOutputs, type Brought } from "#cli/run/bring-outputs";
import { begin, type Desk, type Outcome, seeToItsEnd } from "#cli/run/execute-run";
import type { Display } from "#cli/run/display/display";
import type { ServerOptions } from "#cli/connection/server-variables";
import { reportInJson, reportInWords } from "#cli/run/display/report";

export interface RunOptions extends AnalysisOptions, ServerOptions {
  /** If false, the outputs stay in the workspace. */
  readonly outputs: boolean;
  readonly json?: boolean;
  /** Whether a declared output that was not produced makes the exit code 1. */
  readonly strict?: boolean;
  /** Whether to show what the jobs print. */
  readonly verbose?: boolean;
}

/** Carries out one run from start to end and reports the result. */
export async function runOnce(
  host: CliHost,
  desk: Desk,
  { analysis, display, options }: { analysis: Analysis; display: Display; options: RunOptions },
): Promise<Outcome & { readonly brought: Brought | undefined }> {
  for (const sentence of analysis.leftOut) display.say(sentence);
  const run = await begin(desk, analysis, display);
  const outcome = await seeToItsEnd(desk, run, display);
  const failure = outcome.status === "failed" ? await desk.service.failure(run.id) : undefined;
  const isWanted = options.outputs && ["finished", "failed"].includes(outcome.status);
  let brought: Brought | undefined;
  try {
    brought = isWanted ? await bring(desk, analysis, outcome, display) : undefined;
  } finally {
    // The reason of a failure is shown even if the partial outputs cannot be copied.
    display.end();
    const report = options.json === true ? reportInJson : reportInWords;
    report(host, { outcome, failure, brought, server: desk.service.server });
  }
  return { ...outcome, brought };
}

/** Copies back the outputs. Those of a failed run may be incomplete, so they go into a folder of their own. */
export function bring(
  { service }: Desk,
  analysis: Analysis,
  { run, status }: Outcome,
  { transfer }: Pick<Display, "transfer">,
): Promise<Brought> {
  const { outputFolder } = analysis;
  const isFinished = status === "finished";
  return bringOutputs({
    service,
    run,
    outputs: analysis.outputs(),
    folder: isFinished ? outputFolder : path.join(outputFolder, "failed", run.name),
    inputMarks: isFinished ? analysis.inputMarks() : new Map(),
    transfer,
  });
}
