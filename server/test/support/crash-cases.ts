import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CrashPoint } from "#plumbing/crash-points";
import { liveThrough } from "./crash-lives.ts";
import {
  crowded,
  damaging,
  everyday,
  quietTime,
  repositories,
  reruns,
  restarts,
  type Story,
  stubborn,
  surveys,
} from "./crash-stories.ts";
import { makeWorld } from "./crash-world.ts";
import { secrets, tidying } from "./tidy-stories.ts";
import { type GitHttpServer, startGitHttpServer } from "./git-http-server.ts";

const SURVEY_SERVER = path.join(import.meta.dirname, "serve-surveys.ts");
const SPECIFICATION = "workflow: {type: serial, specification: {steps: [{commands: ['true']}]}}\n";

/** The stories that pass the points which the everyday one does not. */
const STORIES: Partial<Record<CrashPoint, Story>> = {
  "workspace-reserved": repositories,
  "repository-fetched": repositories,
  "workspace-emptied": repositories,
  "workspace-forgotten": repositories,
  "restart-recorded": restarts,
  "workspace-copied": reruns,
  "rerun-recorded": reruns,
  "take-over-recorded": restarts,
  "retry-recorded": stubborn,
  "files-asked": surveys,
  "literals-written": surveys,
  "outputs-published": surveys,
  "snapshot-recorded": surveys,
  "secrets-added": secrets,
  "secrets-deleted": secrets,
  "job-secrets-written": secrets,
  "job-secrets-removed": secrets,
  "file-pruned": tidying,
  "workspace-pruned": tidying,
  "rule-claimed": tidying,
  "rule-carried-out": tidying,
  "rule-applied": tidying,
  "host-renewed": quietTime,
  "jobs-admitted": crowded,
  "damage-recorded": damaging,
};

/** The earlier death that a point needs, because a server passes it only if it finds something left over. */
const BEFORE: Partial<Record<CrashPoint, string>> = {
  "lease-taken": "events-recorded:2",
  // A server looks for due rules when it starts.
  "rule-claimed": "end-recorded:1",
  "rule-carried-out": "end-recorded:1",
  "rule-applied": "end-recorded:1",
  // The endless job is running at that point.
  "claim-seen": "delete-recorded:2",
};

/** Deaths one after the other: `run-created:2` is the second pass of that point. */
export type Deaths = readonly string[];

export function deathsAt(point: CrashPoint): Deaths {
  const before = BEFORE[point];
  return [...(before === undefined ? [] : [before]), `${point}:1`];
}

/** Defines one test for each series of deaths. The first death with a story of its own decides which story is told. */
export function testDeaths(all: readonly Deaths[]): void {
  let git: GitHttpServer;

  beforeAll(async () => {
    git = await startGitHttpServer();
    await git.addRepository("right", { "reana.yaml": SPECIFICATION, "data/in.txt": "small" });
    await git.addRepository("wrong", { "reana.yaml": "workflow: {type: unheard-of}\n" });
  });

  afterAll(async () => {
    await git.close();
  });

  const cases = all.map((crashAts) => ({ crashAts, name: crashAts.join(", then at ") }));

  describe("a server", () => {
    test.concurrent.each(cases)("killed at $name", async ({ crashAts }) => {
      const tell = storyOf(crashAts);
      const world = await makeWorld({
        program: tell === surveys ? SURVEY_SERVER : undefined,
        environment: {
          REPRISE_CORES: "2",
          REPRISE_GIT_HTTP_HOSTS: "127.0.0.1",
          REPRISE_GIT_PRIVATE_HOSTS: "127.0.0.1",
        },
      });
      try {
        expect(await liveThrough(world, crashAts, tell, git)).toEqual([]);
      } finally {
        await world.remove();
      }
    });
  });
}

function storyOf(crashAts: Deaths): Story {
  const told = crashAts.flatMap((crashAt) => STORIES[crashAt.split(":")[0] as CrashPoint] ?? []);
  return told[0] ?? everyday;
}
