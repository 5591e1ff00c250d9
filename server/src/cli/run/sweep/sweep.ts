import { createReadStream } from "node:fs";
import path from "node:path";
import { EXIT_FAILURE } from "#cli/failure";
import { isUnfollowedLink, unfollowedSentence } from "#cli/files/leaving-links";
import type { CliContext, SettingOptions } from "#cli/context";
import { type Analysis, openAnalysis } from "#cli/run/analysis/analysis";
import { startRun, type RunSession, type Outcome, waitForEnd } from "#cli/run/execute-run";
import type { RunService } from "#cli/run/service/run-service";
import { type Combination, combinationsOf, labelOf } from "#cli/run/sweep/combinations";
import { type Compared, type ComparedOutput, comparison } from "#cli/run/sweep/compare";
import { duration } from "#plumbing/text/duration";
import { contentOf } from "#cli/run/sweep/output-content";
import { partialOutputs, sentencesOf } from "#cli/run/display/report";
import { copyBack, type RunOptions } from "#cli/run/run-once";
import { exitCodeOf, withRunSession } from "#cli/run/run-session";
import { type SweepDisplay, sweepDisplay } from "#cli/run/display/sweep-display";
import { printable } from "#plumbing/text/printable";

/** A run of a sweep. */
interface Trial {
  readonly combination: Combination;
  readonly analysis: Analysis;
}

interface EndedTrial extends Trial {
  readonly outcome: Outcome;
}

/**
 * Implements `reprise run --sweep x=1,2,3`: runs each combination, as many in parallel as fit, and compares the
 * results.
 */
export async function sweep(
  cli: CliContext,
  settings: SettingOptions,
  options: RunOptions,
  sweeps: readonly string[],
): Promise<number> {
  const trials = await openTrials(cli, settings, options, combinationsOf(sweeps, options.param ?? []));
  const display = sweepDisplay(cli, { json: options.json === true, total: trials.length });
  return withRunSession(cli, settings, { display, options, what: () => "all of them" }, async (session) => {
    for (const sentence of trials[0]?.analysis.leftOut ?? []) display.say(sentence);
    const tried = await runTrials(session, trials, display);
    const compared: Compared[] = [];
    for (const one of tried) compared.push(await collectResult(session, one, options, display));
    display.end();
    report(cli, compared, options);
    if (options.outputs) await copyBackOfFailed(cli, session, tried, display);
    const isIncomplete = options.strict === true && compared.some(({ absent }) => absent.length > 0);
    const exitCode = Math.max(...tried.map(({ outcome }) => exitCodeOf(outcome.status)));
    return isIncomplete ? Math.max(exitCode, EXIT_FAILURE) : exitCode;
  });
}

/** Opens an analysis for each combination. Each has its own output folder: `sweep/x=1/results/plot.png`. */
async function openTrials(
  cli: CliContext,
  settings: SettingOptions,
  options: RunOptions,
  combinations: readonly Combination[],
): Promise<Trial[]> {
  const labels = combinations.map(labelOf);
  const trials: Trial[] = [];
  for (const [index, combination] of combinations.entries()) {
    const param = [...(options.param ?? []), ...combination];
    const analysis = await openAnalysis(cli, settings, { ...options, param });
    const label = labels.indexOf(labels[index]!) < index ? `${labels[index]} ${index + 1}` : labels[index]!;
    const { root, below } = analysis.target;
    const target = { root, below: path.posix.join(below, "sweep", label) };
    trials.push({ combination, analysis: { ...analysis, target, inputMarks: () => new Map() } });
  }
  return trials;
}

/** Starts all runs without waiting for the first to end. If one fails to start, those already started are stopped. */
async function runTrials(
  session: RunSession,
  trials: readonly Trial[],
  display: SweepDisplay,
): Promise<EndedTrial[]> {
  const calledOff = new AbortController();
  const signal = AbortSignal.any([session.signal, calledOff.signal]);
  const trying: Promise<EndedTrial>[] = [];
  try {
    for (const trial of trials) {
      const run = await startRun(session, trial.analysis, {
        transfer: (total) => display.transfer(total),
        created: (created) => display.created(created),
        started: (started) => display.started(started, trial.combination.join(" ")),
        // All runs share the documents, hence the warning is the same.
        ...(trying.length === 0 && { say: (sentence: string) => display.say(sentence) }),
      });
      const ended = waitForEnd({ ...session, signal }, run, display.watcherOf(run)).then(async (outcome) => {
        await reportEnd(session, trial, outcome, display);
        return { ...trial, outcome };
      });
      // Awaited below; this only prevents an unhandled rejection in the meantime.
      ended.catch(() => undefined);
      trying.push(ended);
    }
  } catch (error) {
    if (!session.signal.aborted) calledOff.abort();
    await Promise.allSettled(trying);
    if (trying.length === 0 || !session.signal.aborted) throw error;
  }
  return Promise.all(trying);
}

async function reportEnd(
  { service }: RunSession,
  { combination }: Trial,
  { run, status, tookMs }: Outcome,
  display: SweepDisplay,
): Promise<void> {
  const failure = status === "failed" ? await service.failure(run.id) : undefined;
  for (const sentence of sentencesOf(failure, service.server)) display.say(sentence);
  display.ended(`${run.name} with ${combination.join(" ")} ${status} after ${duration(tookMs)}.`);
}

async function collectResult(
  session: RunSession,
  tried: EndedTrial,
  { outputs: isCopied }: RunOptions,
  display: SweepDisplay,
): Promise<Compared> {
  const { analysis, outcome, combination } = tried;
  const { run, status, tookMs } = outcome;
  const base = { runName: run.name, combination, status, tookMs };
  if (status !== "finished") return { ...base, outputs: [], absent: [] };
  const made = isCopied
    ? await copiedOutputs(session, analysis, outcome, display)
    : await remoteOutputs(session, tried);
  for (const name of made.absent) {
    const isLink = made.links.includes(name);
    const said = isLink
      ? unfollowedSentence(name)
      : `declared output ${printable(name, 200)} was not produced.`;
    display.say(`${run.name}: ${said}`);
  }
  return { ...base, ...made };
}

/** Copies back the outputs of failed runs, which are left out of the comparison. */
async function copyBackOfFailed(
  cli: CliContext,
  session: RunSession,
  tried: readonly EndedTrial[],
  display: SweepDisplay,
): Promise<void> {
  for (const { analysis, outcome } of tried.filter((one) => one.outcome.status === "failed")) {
    const copied = await copyBack(session, analysis, outcome, display);
    display.end();
    for (const sentence of partialOutputs(copied)) cli.printError(sentence);
  }
}

async function copiedOutputs(
  session: RunSession,
  analysis: Analysis,
  outcome: Outcome,
  display: SweepDisplay,
): Promise<Results> {
  const { files, absent, links } = await copyBack(session, analysis, outcome, display);
  const outputs: ComparedOutput[] = [];
  for (const { name, file } of files) {
    outputs.push({ name, file, ...(await contentOf(createReadStream(file))) });
  }
  return { outputs, absent, links };
}

async function remoteOutputs({ service }: RunSession, { analysis, outcome }: EndedTrial): Promise<Results> {
  const outputs = new Map<string, ComparedOutput>();
  const absent: string[] = [];
  const links = new Set<string>();
  for (const pattern of analysis.outputs()) {
    const found = await service.list(outcome.run.id, pattern);
    if (found.length === 0) absent.push(pattern);
    for (const { name } of found) {
      const content = await maybeContent(service, outcome.run.id, name);
      if (content) outputs.set(name, { name, ...content });
      else links.add(name);
    }
  }
  return { outputs: [...outputs.values()], absent: [...absent, ...links], links: [...links] };
}

/** Returns undefined for a link that the workspace does not follow. */
async function maybeContent(service: RunService, id: string, name: string) {
  try {
    return await contentOf(await service.read(id, name));
  } catch (error) {
    if (isUnfollowedLink(error)) return undefined;
    throw error;
  }
}

interface Results extends Pick<Compared, "outputs" | "absent"> {
  readonly links: readonly string[];
}

function report(cli: CliContext, compared: readonly Compared[], { json }: RunOptions): void {
  if (json !== true) {
    for (const line of comparison(compared)) cli.print(line);
    return;
  }
  const runs = compared.map(({ runName, combination, status, tookMs, outputs }) => ({
    run: runName,
    parameters: Object.fromEntries(combination.map((pair) => splitAt(pair, pair.indexOf("=")))),
    status,
    duration_ms: Math.round(tookMs),
    outputs,
  }));
  cli.print(JSON.stringify({ event: "compared", runs }));
}

function splitAt(text: string, cut: number): [string, string] {
  return [text.slice(0, cut), text.slice(cut + 1)];
}
