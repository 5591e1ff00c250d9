import type { CliContext } from "#cli/context";
import { type Display, jsonDisplay, prefixed, warningsOf } from "#cli/run/display/display";
import { duration } from "#plumbing/text/duration";
import { liveScreen } from "#cli/terminal/live-screen";
import type { CreatedRun } from "#cli/run/service/run-service";
import { NO_TRANSFER, transferLine } from "#cli/terminal/transfer-line";

/** The progress of a sweep: the start and the end of each run. */
export interface SweepDisplay extends Pick<Display, "say" | "transfer" | "end"> {
  created(run: CreatedRun): void;
  started(run: CreatedRun, combination: string): void;
  watcherOf(run: CreatedRun): Pick<Display, "onEvents" | "printed">;
  ended(sentence: string): void;
}

export function sweepDisplay(
  cli: CliContext,
  { json, total }: { json: boolean; total: number },
): SweepDisplay {
  if (json) return inJson(cli);
  let [over, created, started] = [0, 0, 0];
  const transfers = transferLine(cli.clock);
  const line = (elapsedMs: number) =>
    transfers.text() ?? `${over}/${total} finished, ${started - over} running  ${duration(elapsedMs)}`;
  const live = cli.screen && liveScreen(cli.screen, cli.clock, line);
  const say = (sentence: string) => (live ? live.above([sentence]) : cli.printError(sentence));
  return {
    say,
    transfer(copied) {
      live?.draw();
      return transfers.begin(copied);
    },
    created(run) {
      created += 1;
      // All runs share a specification, hence the warnings are the same.
      if (created === 1) for (const warning of warningsOf(run)) say(warning);
    },
    started(run, combination) {
      started += 1;
      say(`${run.name} started with ${combination}.`);
      live?.draw();
    },
    watcherOf: ({ name }) => ({
      onEvents: () => undefined,
      printed(job, lines) {
        for (const shown of lines) say(`${name} ${prefixed(job, shown)}`);
      },
    }),
    ended(sentence) {
      over += 1;
      say(sentence);
    },
    end: () => live?.end(),
  };
}

function inJson(cli: CliContext): SweepDisplay {
  const displays = new Map<string, Display>();
  return {
    say: () => undefined,
    transfer: () => NO_TRANSFER,
    created(run) {
      const display = jsonDisplay(cli);
      displays.set(run.id, display);
      display.created(run);
    },
    started: () => undefined,
    watcherOf: (run) => displays.get(run.id)!,
    ended: () => undefined,
    end: () => undefined,
  };
}
