import { HEARD_MAX_BYTES } from "#engines/channel-ask";
import type { Answer, Ask, ChannelAsk } from "#engines/engine";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { isForEver } from "#runner/files/answer-ask";
import type { RunFiles } from "#workspace/run-files";

/**
 * The talk between an engine and a job of its run, through two append-only files of lines
 * (docs/decisions/20261123-snakemake-attached.md). Reading is repeatable, and an existing line is not written
 * again.
 */
interface Talk {
  readonly files: Pick<RunFiles, "readLines" | "appendLines">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Pauses between two looks at the file: short at first, because most answers come soon. */
const PAUSE_MIN_MS = 1;
const PAUSE_MAX_MS = 250;
const PAUSE_GROWTH = 1.3;

export function isChannelAsk(ask: Ask): ask is ChannelAsk {
  return ask.do === "hear" || ask.do === "tell";
}

/** Carries out a request to a job. A refusal that would repeat is an answer; other errors are thrown. */
export async function answerChannelAsk(talk: Talk, ask: ChannelAsk): Promise<Answer> {
  try {
    return ask.do === "hear" ? await hear(talk, ask) : await tell(talk, ask);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error))
      return { kind: "refused", id: ask.id, reason: error.message };
    throw error;
  }
}

async function hear(
  { files, clock, signal }: Talk,
  { id, path, from }: Extract<ChannelAsk, { do: "hear" }>,
): Promise<Answer> {
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS)) {
    signal.throwIfAborted();
    const { lines, to } = await files.readLines(path, from, HEARD_MAX_BYTES);
    if (lines.length > 0) {
      crashPoint("lines-heard");
      return { kind: "heard", id, lines, to };
    }
    await pause(clock, pauseMs, signal);
  }
}

async function tell(
  { files }: Talk,
  { id, path, first, lines }: Extract<ChannelAsk, { do: "tell" }>,
): Promise<Answer> {
  await files.appendLines(path, first, lines);
  crashPoint("lines-told");
  return { kind: "told", id };
}

/** Waits, but not beyond the end of the run. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      callOff();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const callOff = clock.after(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
