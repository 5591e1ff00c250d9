import type { CliHost, SettingOptions } from "#cli/host";
import type { Desk } from "#cli/run/carry-out";
import { EXIT_STOPPED, listenForInterruption } from "#cli/run/interruption";
import { openRunService } from "#cli/run/open-run-service";

export interface SessionDisplay {
  say(sentence: string): void;
  /** Nothing more changes by itself. Safe twice. */
  end(): void;
}

/**
 * What `reprise run` does around its runs: finds who carries them out, listens for Ctrl-C, and takes its leave. `what`
 * is what the first Ctrl-C asks about. Answers the exit code.
 */
export async function inSession(
  host: CliHost,
  settings: SettingOptions,
  { display, what }: { readonly display: SessionDisplay; what(): string },
  work: (desk: Desk) => Promise<number>,
): Promise<number> {
  const service = await openRunService(host, settings, (sentence) => display.say(sentence));
  const interruption = listenForInterruption(host, {
    asks: host.screen !== undefined,
    ask: () => display.say(`Ctrl-C once more stops ${what()}. Until then it goes on.`),
  });
  const { signal } = interruption;
  try {
    return await work({ service, clock: host.clock, signal });
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    display.end();
    host.complain("It was stopped before it began, and nothing is left of it.");
    return EXIT_STOPPED;
  } finally {
    display.end();
    interruption.leave();
    sayWhatGoesOn(host, await service.close());
  }
}

/** An earlier command may have left one, which this one took up for as long as it lasted. */
function sayWhatGoesOn(host: CliHost, { runsLeft }: { readonly runsLeft: number }): void {
  if (runsLeft === 0) return;
  const runs = runsLeft === 1 ? "One run of this data folder is" : `${runsLeft} runs of this data folder are`;
  host.complain(
    `${runs} not over: the next \`reprise serve\` goes on with ${runsLeft === 1 ? "it" : "them"}.`,
  );
}

export function exitCodeOf(status: string): number {
  if (status === "finished") return 0;
  return status === "stopped" ? EXIT_STOPPED : 1;
}
