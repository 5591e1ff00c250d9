import { beforeAll, describe, expect, test } from "vitest";
import type { CrashPoint } from "#plumbing/crash-points";
import type { Deaths } from "../crash-cases.ts";
import { liveThrough } from "../crash-lives.ts";
import { makeWorld } from "../crash-world.ts";
import { snakemakeProgram } from "../../support/engines/snakemake.ts";
import { CWL, type LanguageStory, runAndRestart, SNAKEMAKE, YADAGE } from "./language-stories.ts";

/** Points that a server passes with each run and restart of any language. */
const COMMON: readonly CrashPoint[] = [
  "documents-collected",
  "start-recorded",
  "restart-recorded",
  "turn-recorded",
  "run-replayed",
  "engine-asked",
  "beginning-recorded",
  "events-recorded",
  "job-submitted",
  "attempt-made",
  "order-sent",
  "exit-seen",
  "end-heard",
  "leftovers-ended",
  "results-collected",
  "end-recorded",
];
const STAGED: readonly CrashPoint[] = [
  "stage-prepared",
  "stage-ready",
  "stage-tree-placed",
  "stage-placed",
  "stage-forgotten",
];
/** Points of languages that declare inputs and outputs. */
const COLLECTED: readonly CrashPoint[] = ["job-collected", "files-asked", "take-over-recorded"];

/** The stories, and the points that the server passes in each. */
export const LANGUAGES: readonly (readonly [story: LanguageStory, points: readonly CrashPoint[]])[] = [
  [CWL, [...COMMON, ...STAGED, ...COLLECTED, "outputs-published"]],
  [YADAGE, [...COMMON, ...COLLECTED, "literals-written"]],
  [SNAKEMAKE, [...COMMON, ...STAGED, "lines-heard", "lines-told"]],
];

/** Installing Snakemake takes half a minute, once for each machine. */
const INSTALL_MAX_MS = 300_000;

/**
 * Defines tests in which servers die while a run of a language is under way. With `isRetold`, each of the servers gets a
 * run of its own, and dies during it.
 */
export function testLanguage(story: LanguageStory, lives: readonly Deaths[], isRetold = false): void {
  const cases = lives.map((crashAts) => ({ crashAts, name: crashAts.join(", then at ") }));
  describe(`a server with a run of ${story.language}`, () => {
    let environment: Readonly<Record<string, string>> = { REPRISE_CORES: "2" };

    beforeAll(async () => {
      if (story.language === "snakemake")
        environment = { ...environment, REPRISE_SNAKEMAKE: await snakemakeProgram("9.27.1") };
    }, INSTALL_MAX_MS);

    test.concurrent.each(cases)("killed at $name", async ({ crashAts }) => {
      const world = await makeWorld({ environment });
      try {
        const tell = () => runAndRestart(world, story);
        expect(await liveThrough(world, { crashAts, tell, isRetold })).toEqual([]);
      } finally {
        await world.remove();
      }
    });
  });
}
