import path from "node:path";
import type { CliHost } from "#cli/host";
import type { Analysis, AnalysisOptions } from "#cli/run/analysis";
import { bringOutputs, type Brought } from "#cli/run/bring-outputs";
import { begin, type Desk, type Outcome, seeToItsEnd } from "#cli/run/carry-out";
import type { InputFile } from "#cli/run/collect-inputs";
import type { Display } from "#cli/run/display";
import { reportInJson, reportInWords } from "#cli/run/report";
import { humanSize } from "#plumbing/human-size";

export interface RunOptions extends AnalysisOptions {
  /** False: they stay in the workspace. */
  readonly outputs: boolean;
  readonly json?: boolean;
}

/** So much is copied in no time; more is said. */
const LARGE_BYTES = 64 * 2 ** 20;

/** One run from beginning to end, and what came of it. */
export async function runOnce(
  host: CliHost,
  desk: Desk,
  { analysis, display, options }: { analysis: Analysis; display: Display; options: RunOptions },
): Promise<Outcome & { readonly brought: Brought | undefined }> {
  const run = await begin(desk, analysis, {
    created: (created) => display.began(created),
    copying: (inputs) => sayWhenLarge(display, inputs),
  });
  const outcome = await seeToItsEnd(desk, run, (...told) => display.happened(...told));
  const failure = outcome.status === "failed" ? await desk.service.failure(run.id) : undefined;
  const isWanted = options.outputs && ["finished", "failed"].includes(outcome.status);
  let brought: Brought | undefined;
  try {
    brought = isWanted ? await bring(desk, analysis, outcome) : undefined;
  } finally {
    // Why a run failed is said as well when what it had made cannot be brought.
    display.end();
    const report = options.json === true ? reportInJson : reportInWords;
    report(host, { outcome, failure, brought });
  }
  return { ...outcome, brought };
}

function sayWhenLarge(display: Display, inputs: readonly InputFile[]): void {
  const bytes = inputs.reduce((sum, input) => sum + input.bytes, 0);
  const files = inputs.length === 1 ? "one file" : `${inputs.length} files`;
  if (bytes > LARGE_BYTES) display.say(`Copying ${files}, ${humanSize(bytes)}.`);
}

/** Of a run that failed nothing says which outputs are whole: they do not take the place of those of another run. */
export function bring({ service }: Desk, analysis: Analysis, { run, status }: Outcome): Promise<Brought> {
  const { outputFolder } = analysis;
  const isFinished = status === "finished";
  return bringOutputs({
    service,
    run,
    outputs: analysis.outputs(),
    folder: isFinished ? outputFolder : path.join(outputFolder, "failed", run.name),
    inputMarks: isFinished ? analysis.inputMarks() : new Map(),
  });
}
