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
  const service = await openRunService(host, settings);
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

/** Of runs that an earlier command left, and that this one has taken up for as long as it lasted. */
function sayWhatGoesOn(host: CliHost, { jobsGoOn }: { readonly jobsGoOn: number }): void {
  if (jobsGoOn === 0) return;
  const jobs = jobsGoOn === 1 ? "A job of an earlier run goes on" : `${jobsGoOn} jobs of earlier runs go on`;
  const them = jobsGoOn === 1 ? "it" : "them";
  host.complain(`${jobs}; \`reprise serve\` or the next \`reprise run\` will find ${them}.`);
}

export function exitCodeOf(status: string): number {
  if (status === "finished") return 0;
  return status === "stopped" ? EXIT_STOPPED : 1;
}
