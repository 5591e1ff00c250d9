import type { CliHost } from "#cli/host";
import { type Display, jsonDisplay, prefixed, warningsOf } from "#cli/run/display/display";
import { duration } from "#cli/terminal/duration";
import { liveScreen } from "#cli/terminal/live-screen";
import type { CreatedRun } from "#cli/run/service/run-service";
import { NO_TRANSFER, transferLine } from "#cli/terminal/transfer-line";

/** The progress of a sweep: the start and the end of each run. */
export interface SweepDisplay extends Pick<Display, "say" | "transfer" | "end"> {
  created(run: CreatedRun): void;
  started(run: CreatedRun, combination: string): void;
  watcherOf(run: CreatedRun): Pick<Display, "happened" | "printed">;
  ended(sentence: string): void;
}

export function sweepDisplay(host: CliHost, { json, total }: { json: boolean; total: number }): SweepDisplay {
  if (json) return inJson(host);
  let [over, created, started] = [0, 0, 0];
  const transfers = transferLine(host.clock);
  const line = (elapsedMs: number) =>
    transfers.text() ?? `${over}/${total} finished, ${started - over} running  ${duration(elapsedMs)}`;
  const live = host.screen && liveScreen(host.screen, host.clock, line);
  const say = (sentence: string) => (live ? live.above([sentence]) : host.complain(sentence));
  return {
    say,
    transfer(copied) {
      live?.draw();
      return transfers.begin(copied);
    },
    created(run) {
      created += 1;
      // Every run has the same specification, hence the same warnings.
      if (created === 1) for (const warning of warningsOf(run)) say(warning);
    },
    started(run, combination) {
      started += 1;
      say(`${run.name} started with ${combination}.`);
      live?.draw();
    },
    watcherOf: ({ name }) => ({
      happened: () => undefined,
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

function inJson(host: CliHost): SweepDisplay {
  const displays = new Map<string, Display>();
  return {
    say: () => undefined,
    transfer: () => NO_TRANSFER,
    created(run) {
      const display = jsonDisplay(host);
      displays.set(run.id, display);
      display.created(run);
    },
    started: () => undefined,
    watcherOf: (run) => displays.get(run.id)!,
    ended: () => undefined,
    end: () => undefined,
  };
}
