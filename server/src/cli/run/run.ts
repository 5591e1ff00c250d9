import type { CliHost, SettingOptions } from "#cli/host";
import { type Analysis, type AnalysisOptions, openAnalysis } from "#cli/run/analysis";
import { bringOutputs, type Brought } from "#cli/run/bring-outputs";
import { carryOut, type Outcome } from "#cli/run/carry-out";
import { type Display, jsonDisplay, lineDisplay } from "#cli/run/display";
import { EXIT_STOPPED, type Interruption, listenForInterruption } from "#cli/run/interruption";
import { openRunService } from "#cli/run/open-run-service";
import { reportInJson, reportInWords } from "#cli/run/report";
import type { CreatedRun, RunService } from "#cli/run/run-service";
import { screenDisplay } from "#cli/run/screen-display";

export interface RunOptions extends AnalysisOptions {
  /** False: they stay in the workspace. */
  readonly outputs: boolean;
  readonly json?: boolean;
}

/** `reprise run`: an analysis from beginning to end. Answers the exit code, which is the run's. */
export async function run(host: CliHost, settings: SettingOptions, options: RunOptions): Promise<number> {
  const analysis = await openAnalysis(host, settings, options);
  const service = await openRunService(host, settings);
  const names = { run: "" };
  const display = displayOf(host, options, () => names.run);
  const interruption = listenForInterruption(host, {
    asks: host.screen !== undefined,
    ask: () => display.say(`Ctrl-C once more stops ${names.run || "the run"}. Until then it goes on.`),
  });
  const onCreated = (created: CreatedRun) => {
    names.run = created.name;
    display.say(`${created.name} begins.`);
    for (const warning of created.warnings) display.say(`Warning: ${warning}`);
  };
  try {
    const desk = { service, clock: host.clock, display, signal: interruption.signal };
    const outcome = await carryOut(desk, analysis, onCreated);
    return await conclude(host, { service, analysis, display, options }, outcome);
  } catch (error) {
    if (!isOfInterruption(error, interruption)) throw error;
    display.end();
    host.complain("It was stopped before it began, and nothing is left of it.");
    return EXIT_STOPPED;
  } finally {
    display.end();
    interruption.leave();
    sayWhatGoesOn(host, await service.close());
  }
}

function displayOf(host: CliHost, { json }: RunOptions, runName: () => string): Display {
  if (json === true) return jsonDisplay(host, runName);
  return host.screen === undefined ? lineDisplay(host, runName) : screenDisplay(host.screen, host.clock);
}

interface Conclusion {
  readonly service: RunService;
  readonly analysis: Analysis;
  readonly display: Display;
  readonly options: RunOptions;
}

async function conclude(
  host: CliHost,
  { service, analysis, display, options }: Conclusion,
  outcome: Outcome,
): Promise<number> {
  const { run: created, status } = outcome;
  const failure = status === "failed" ? await service.failure(created.id) : [];
  const brought =
    options.outputs && status === "finished" ? await bring(service, analysis, created) : undefined;
  display.end();
  if (options.json === true) reportInJson(host, { outcome, failure, brought });
  else reportInWords(host, { outcome, failure, brought });
  return exitCodeOf(status);
}

function bring(service: RunService, analysis: Analysis, created: CreatedRun): Promise<Brought> {
  return bringOutputs({
    service,
    run: created,
    outputs: analysis.outputs(),
    folder: analysis.outputFolder,
    inputMarks: analysis.inputMarks(),
  });
}

function exitCodeOf(status: string): number {
  if (status === "finished") return 0;
  return status === "stopped" ? EXIT_STOPPED : 1;
}

function isOfInterruption(error: unknown, { signal }: Interruption): boolean {
  return signal.aborted && error === signal.reason;
}

/** Of runs that an earlier command left, and that this one has taken up for as long as it lasted. */
function sayWhatGoesOn(host: CliHost, { jobsGoOn }: { readonly jobsGoOn: number }): void {
  if (jobsGoOn === 0) return;
  const jobs = jobsGoOn === 1 ? "A job of an earlier run goes on" : `${jobsGoOn} jobs of earlier runs go on`;
  host.complain(
    `${jobs}; \`reprise serve\` or the next \`reprise run\` will find ${jobsGoOn === 1 ? "it" : "them"}.`,
  );
}
