import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CRASH_POINTS, type CrashPoint } from "#plumbing/crash-points";
import { liveThrough } from "./support/crash-lives.ts";
import { everyday, quietTime, repositories, restarts, type Story, surveys } from "./support/crash-stories.ts";
import { makeWorld } from "./support/crash-world.ts";
import { ON_POSTGRES } from "./support/database.ts";
import { startGitHttpServer } from "./support/git-http-server.ts";
import { temporaryFolder } from "./support/real-server.ts";

/**
 * The real server is killed at each of its crash points, started again, and judged by what it promised. What a killed
 * server has acknowledged, and what its jobs did, is known from outside (support/check-promises.ts).
 */
const SURVEY_SERVER = path.join(import.meta.dirname, "support", "serve-surveys.ts");

const cache = await temporaryFolder();
const git = await startGitHttpServer();
const SPECIFICATION = "workflow: {type: serial, specification: {steps: [{commands: ['true']}]}}\n";
await git.addRepository("right", { "reana.yaml": SPECIFICATION, "data/in.txt": "small" });
await git.addRepository("wrong", { "reana.yaml": "workflow: {type: unheard-of}\n" });

const ENVIRONMENT = {
  REPRISE_CORES: "2",
  REPRISE_GIT_HTTP_HOSTS: "127.0.0.1",
  REPRISE_GIT_PRIVATE_HOSTS: "127.0.0.1",
  // Hundreds of servers are started, and all of them would compile the same code.
  NODE_COMPILE_CACHE: cache.folder,
};

afterAll(async () => {
  await git.close();
  await cache.remove();
});

/** Which points are passed in another story than the everyday one. */
const STORIES: Partial<Record<CrashPoint, Story>> = {
  "workspace-reserved": repositories,
  "repository-fetched": repositories,
  "workspace-emptied": repositories,
  "workspace-forgotten": repositories,
  "restart-recorded": restarts,
  "files-asked": surveys,
  "literals-written": surveys,
  "outputs-published": surveys,
  "snapshot-recorded": surveys,
  "host-renewed": quietTime,
};

/** Points that only a server passes that finds something: how the one before it died. */
const BEFORE: Partial<Record<CrashPoint, string>> = {
  "lease-taken": "events-recorded:2",
  // The endless job runs by then.
  "claim-seen": "delete-recorded:2",
};

/** Points that are passed often: also killed there later on, when more is under way or lies there. */
const LATER: readonly (readonly [point: CrashPoint, ...times: number[]])[] = [
  ["secret-written", 2],
  ["repository-fetched", 2],
  ["delete-recorded", 2],
  ["attempt-removed", 3],
  ["workspace-hidden", 2],
  ["turn-recorded", 3],
  ["beginning-recorded", 3],
  ["events-recorded", 4],
  ["snapshot-recorded", 4],
  ["jobs-admitted", 3],
  ["end-recorded", 2, 3],
  ["order-sent", 8],
  ["exit-seen", 4],
];

/** Deaths one after the other: a server that takes up what another left is killed as well. */
const AGAIN: readonly (readonly string[])[] = [
  ["migration-applied:1", "migration-applied:1"],
  ["attempt-made:2", "order-sent:1"],
  ["delete-recorded:2", "claim-seen:1", "claim-seen:1"],
  ["exit-seen:2", "exit-seen:1"],
  ["engine-asked:2", "run-replayed:1"],
  ["claim-taken:1", "exit-written:1"],
  ["cancel-marked:1", "job-signalled:1"],
  ["jobs-cancelled:1", "end-recorded:1"],
  ["delete-recorded:2", "attempt-removed:2"],
  ["workspace-hidden:2", "workspace-removed:1"],
  ["beginning-recorded:3", "job-submitted:1", "events-recorded:1", "end-recorded:1"],
];

const storyOf = (point: string): Story => STORIES[point as CrashPoint] ?? everyday;
const CASES = [
  ...Object.keys(CRASH_POINTS).map((name) => {
    const before = BEFORE[name as CrashPoint];
    const crashAts = [...(before === undefined ? [] : [before]), `${name}:1`];
    return { crashAts, tell: storyOf(name) };
  }),
  // They differ in what lies in files and what runs, which is the same on each database.
  ...(ON_POSTGRES ? [] : LATER).flatMap(([point, ...times]) =>
    times.map((time) => ({ crashAts: [`${point}:${time}`], tell: storyOf(point) })),
  ),
  ...AGAIN.map((crashAts) => ({ crashAts, tell: everyday })),
].map((one) => ({ ...one, name: one.crashAts.join(", then at ") }));

describe("a server", () => {
  test.concurrent.each(CASES)("killed at $name", async ({ crashAts, tell }) => {
    const program = tell === surveys ? SURVEY_SERVER : undefined;
    const world = await makeWorld({ program, environment: ENVIRONMENT });
    try {
      expect(await liveThrough(world, crashAts, tell, git)).toEqual([]);
    } finally {
      await world.remove();
    }
  });
});
