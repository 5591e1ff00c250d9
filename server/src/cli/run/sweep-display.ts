import type { CliHost } from "#cli/host";
import { type Display, jsonDisplay } from "#cli/run/display";
import { duration } from "#cli/run/duration";
import { liveScreen } from "#cli/run/live-screen";
import type { CreatedRun } from "#cli/run/run-service";

/** What somebody sees of many runs at once: of each its beginning and its end. */
export interface SweepDisplay {
  say(sentence: string): void;
  began(run: CreatedRun, combination: string): void;
  happenedIn(run: CreatedRun): Display["happened"];
  ended(sentence: string): void;
  end(): void;
}

export function sweepDisplay(host: CliHost, { json, total }: { json: boolean; total: number }): SweepDisplay {
  if (json) return inJson(host);
  let over = 0;
  let begun = 0;
  const line = (elapsedMs: number) =>
    `${over} of ${total} runs are over, ${begun - over} go on  ${duration(elapsedMs)}`;
  const live = host.screen && liveScreen(host.screen, host.clock, line);
  const say = (sentence: string) => (live ? live.above([sentence]) : host.complain(sentence));
  return {
    say,
    began(run, combination) {
      begun += 1;
      say(`${run.name} begins with ${combination}.`);
      // What is wrong with the specification is wrong with it each time.
      if (begun === 1) for (const warning of run.warnings) say(`Warning: ${warning}`);
      live?.draw();
    },
    happenedIn: () => () => undefined,
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
    began(run) {
      const display = jsonDisplay(host);
      displays.set(run.id, display);
      display.began(run);
    },
    happenedIn: (run) => displays.get(run.id)!.happened,
    ended: () => undefined,
    end: () => undefined,
  };
}
