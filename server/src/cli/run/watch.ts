import { UsageError } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";
import { type Analysis, openAnalysis } from "#cli/run/analysis/analysis";
import { maybeMark } from "#cli/run/analysis/collect-inputs";
import { EXIT_STOPPED } from "#cli/run/interruption";
import type { RunOptions } from "#cli/run/run-once";
import { listenForPresses } from "#cli/terminal/stop-signals";
import { messageOf } from "#plumbing/errors";

/**
 * Files are polled, because file systems of other machines report no changes. After each scan it pauses for at least 20
 * times the scan's duration, so that very many files do not keep the machine busy.
 */
const LOOK_INTERVAL_MS = 500;
const LOOKS_PART = 20;

type Marks = ReadonlyMap<string, string>;

interface Watched {
  readonly exitCode: number;
  /** The files that the run copied back. A change of these is no reason to run again. */
  readonly brought: readonly string[];
}

/** Implements `reprise run --watch`: runs again whenever the specification or an input has changed, until Ctrl-C. */
export async function watch(
  host: CliHost,
  settings: SettingOptions,
  options: RunOptions,
  runIt: (analysis: Analysis) => Promise<Watched>,
): Promise<number> {
  const open = () => openAnalysis(host, settings, options);
  let analysis = await open();
  if (analysis.marks.size === 0) {
    throw new UsageError("--watch needs files of this machine: a Git address does not tell when it changes.");
  }
  for (;;) {
    const { exitCode, brought } = await runIt(analysis);
    if (exitCode === EXIT_STOPPED) return exitCode;
    const known = { marks: analysis.marks, brought: await marksOf(brought) };
    host.complain("Waiting for changes; press Ctrl-C to end.");
    const changed = await nextChange(host, known, open);
    if (changed === undefined) return exitCode;
    analysis = changed;
  }
}

/** The state of the files for which a run is current. */
interface Known {
  /** Marks of the specification and the inputs, as the run got them. */
  readonly marks: Marks;
  /** Marks of the outputs that were copied back. Some of them may be inputs as well, or be in a folder of inputs. */
  readonly brought: Marks;
}

async function marksOf(files: readonly string[]): Promise<Marks> {
  const marks = new Map<string, string>();
  for (const file of files) marks.set(file, (await maybeMark(file)) ?? "");
  return marks;
}

/** Waits for a change and until the files have settled. Returns undefined after Ctrl-C. */
async function nextChange(
  host: CliHost,
  before: Known,
  open: () => Promise<Analysis>,
): Promise<Analysis | undefined> {
  const pressed = new AbortController();
  const leave = listenForPresses(host, () => pressed.abort());
  let known = before;
  let last = before.marks;
  try {
    for (;;) {
      const look = await lookAfterPause(host, open, pressed.signal);
      if (look === undefined) return undefined;
      const isUnchanged = isAsKnown(look.marks, known);
      const isAtRest = isSame(look.marks, last);
      last = look.marks;
      if (isUnchanged || !isAtRest) continue;
      if (look.analysis !== undefined) return look.analysis;
      // A file may be incomplete or in the middle of being replaced. The problem is reported once.
      host.complain(look.problem);
      known = { marks: look.marks, brought: new Map() };
    }
  } finally {
    leave();
  }
}

type Look =
  | { readonly marks: Marks; readonly analysis: Analysis }
  | { readonly marks: Marks; readonly analysis: undefined; readonly problem: string };

async function lookAfterPause(
  { clock }: Pick<CliHost, "clock">,
  open: () => Promise<Analysis>,
  signal: AbortSignal,
): Promise<Look | undefined> {
  const beganAtMs = clock.elapsedMs();
  const look = await lookNow(open);
  const pauseMs = Math.max(LOOK_INTERVAL_MS, LOOKS_PART * (clock.elapsedMs() - beganAtMs));
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const callOff = clock.after(pauseMs, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (!signal.aborted) await over;
  callOff();
  return signal.aborted ? undefined : look;
}

async function lookNow(open: () => Promise<Analysis>): Promise<Look> {
  try {
    const analysis = await open();
    return { marks: analysis.marks, analysis };
  } catch (error) {
    const problem = messageOf(error);
    return { marks: new Map([["problem", problem]]), analysis: undefined, problem };
  }
}

function isAsKnown(look: Marks, { marks, brought }: Known): boolean {
  const isEachKnown = [...look].every(([file, mark]) => (brought.get(file) ?? marks.get(file)) === mark);
  return isEachKnown && [...marks.keys()].every((file) => look.has(file));
}

function isSame(one: Marks, other: Marks): boolean {
  return one.size === other.size && [...one].every(([file, mark]) => other.get(file) === mark);
}
