import { UsageError } from "#cli/failure";
import type { CliContext, SettingOptions } from "#cli/context";
import { type Analysis, openAnalysis } from "#cli/run/analysis/analysis";
import { maybeMark } from "#cli/run/analysis/collect-inputs";
import { EXIT_STOPPED } from "#cli/run/interruption";
import type { RunOptions } from "#cli/run/run-once";
import { listenForPresses } from "#cli/terminal/stop-signals";
import { messageOf } from "#plumbing/errors";

/**
 * Files are polled, because network file systems report no changes. Each scan is followed by a pause of at
 * least 20 times the scan's duration, so that very many files do not keep the machine busy.
 */
const SCAN_INTERVAL_MS = 500;
const IDLE_FACTOR = 20;

type Marks = ReadonlyMap<string, string>;

interface Watched {
  readonly exitCode: number;
  /** The output files copied back. A change to an output file does not start a new run. */
  readonly copied: readonly string[];
}

/** Implements `reprise run --watch`: runs again whenever the specification or an input has changed, until Ctrl-C. */
export async function watch(
  cli: CliContext,
  settings: SettingOptions,
  options: RunOptions,
  runAnalysis: (analysis: Analysis) => Promise<Watched>,
): Promise<number> {
  const open = () => openAnalysis(cli, settings, options);
  let analysis = await open();
  if (analysis.marks.size === 0) {
    throw new UsageError(
      "--watch needs files of this machine: a repository at a Git address cannot be watched.",
    );
  }
  for (;;) {
    const { exitCode, copied } = await runAnalysis(analysis);
    if (exitCode === EXIT_STOPPED) return exitCode;
    const known = { marks: analysis.marks, copied: await marksOf(copied) };
    cli.printError("Waiting for changes; press Ctrl-C to end.");
    const changed = await nextChange(cli, known, open);
    if (changed === undefined) return exitCode;
    analysis = changed;
  }
}

/** The state of the files for which a run is current. */
interface Known {
  /** Marks of the specification and the inputs, as the run got them. */
  readonly marks: Marks;
  /** Marks of the outputs that were copied back. Some of them may be inputs as well, or be in a folder of inputs. */
  readonly copied: Marks;
}

async function marksOf(files: readonly string[]): Promise<Marks> {
  const marks = new Map<string, string>();
  for (const file of files) marks.set(file, (await maybeMark(file)) ?? "");
  return marks;
}

/** Waits for a change and until the files have settled. Returns undefined after Ctrl-C. */
async function nextChange(
  cli: CliContext,
  before: Known,
  open: () => Promise<Analysis>,
): Promise<Analysis | undefined> {
  const pressed = new AbortController();
  const stopListening = listenForPresses(cli, () => pressed.abort());
  let known = before;
  let last = before.marks;
  try {
    for (;;) {
      const scan = await scanAfterPause(cli, open, pressed.signal);
      if (scan === undefined) return undefined;
      const isUnchanged = isAsKnown(scan.marks, known);
      const isAtRest = isSame(scan.marks, last);
      last = scan.marks;
      if (isUnchanged || !isAtRest) continue;
      if (scan.analysis !== undefined) return scan.analysis;
      // A file may be incomplete or in the middle of being replaced. The problem is reported once.
      cli.printError(scan.problem);
      known = { marks: scan.marks, copied: new Map() };
    }
  } finally {
    stopListening();
  }
}

type Scan =
  | { readonly marks: Marks; readonly analysis: Analysis }
  | { readonly marks: Marks; readonly analysis: undefined; readonly problem: string };

async function scanAfterPause(
  { clock }: Pick<CliContext, "clock">,
  open: () => Promise<Analysis>,
  signal: AbortSignal,
): Promise<Scan | undefined> {
  const beganAtMs = clock.elapsedMs();
  const scan = await scanNow(open);
  const pauseMs = Math.max(SCAN_INTERVAL_MS, IDLE_FACTOR * (clock.elapsedMs() - beganAtMs));
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancelTimer = clock.after(pauseMs, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (!signal.aborted) await over;
  cancelTimer();
  return signal.aborted ? undefined : scan;
}

async function scanNow(open: () => Promise<Analysis>): Promise<Scan> {
  try {
    const analysis = await open();
    return { marks: analysis.marks, analysis };
  } catch (error) {
    const problem = messageOf(error);
    return { marks: new Map([["problem", problem]]), analysis: undefined, problem };
  }
}

function isAsKnown(scan: Marks, { marks, copied }: Known): boolean {
  const isEachKnown = [...scan].every(([file, mark]) => (copied.get(file) ?? marks.get(file)) === mark);
  return isEachKnown && [...marks.keys()].every((file) => scan.has(file));
}

function isSame(one: Marks, other: Marks): boolean {
  return one.size === other.size && [...one].every(([file, mark]) => other.get(file) === mark);
}
