import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { Coverage } from "./coverage.ts";
import { type Outcome, Worlds } from "./try-world.ts";

/**
 * A process that tries worlds: `run-worlds.ts --first 1 --count 100 [--step 2] [--until-failure]`. Prints one
 * line of JSON (`WorldsReport`). For people, `run-worlds.ts 4711` tells the story of one world, with
 * `--deeds` including each statement of each server.
 */
export interface WorldsReport {
  readonly worlds: number;
  readonly runs: number;
  readonly coverage: readonly (readonly [string, number])[];
  readonly failures: readonly FailedWorld[];
}

export interface FailedWorld {
  readonly seed: number;
  readonly failure: string;
  /** The last lines of the story. */
  readonly story: readonly string[];
}

const STORY_LINES = 80;
/** Limit of failures. Further failures are not informative. */
const FAILURES_MAX = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    first: { type: "string", default: "1" },
    count: { type: "string", default: "1" },
    step: { type: "string", default: "1" },
    deeds: { type: "boolean", default: false },
    "until-failure": { type: "boolean", default: false },
  },
});
if (positionals[0] === undefined) tell(JSON.stringify(await tryMany()));
else await tellOne(Number(positionals[0]));
process.exit();

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

async function tryMany(): Promise<WorldsReport> {
  const worlds = new Worlds();
  const coverage = new Coverage();
  const failures: FailedWorld[] = [];
  const [first, count, step] = [Number(values.first), Number(values.count), Number(values.step)];
  const failuresMax = values["until-failure"] ? 1 : FAILURES_MAX;
  let [tried, runs] = [0, 0];
  while (tried < count && failures.length < failuresMax) {
    const outcome = await worlds.try(first + tried * step);
    tried += 1;
    runs += outcome.runs;
    coverage.add(outcome.coverage);
    if (outcome.failure !== undefined) failures.push(await withStory(worlds, outcome));
  }
  return { worlds: tried, runs, coverage: [...coverage.counts], failures };
}

/**
 * Tries the seed again to record its story. The story is a function of the seed, so only stories of failures
 * are recorded.
 */
async function withStory(worlds: Worlds, { seed, failure }: Outcome): Promise<FailedWorld> {
  const story: string[] = [];
  const again = await worlds.try(seed, { lines: story, withDeeds: false });
  const isSame = again.failure === failure;
  const doubt = isSame ? [] : [`(Tried again it ended otherwise: ${again.failure ?? "well"}.)`];
  return { seed, failure: failure!, story: [...story.slice(-STORY_LINES), ...doubt] };
}

async function tellOne(seed: number): Promise<void> {
  const story: string[] = [];
  const { failure, runs } = await new Worlds().try(seed, { lines: story, withDeeds: values.deeds });
  for (const line of story) tell(line);
  tell(`Seed ${seed}, ${runs} runs: ${failure ?? "all is well"}`);
  process.exitCode = failure === undefined ? 0 : 1;
}
