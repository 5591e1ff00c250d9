import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CrashPoint } from "#plumbing/crash-points";
import { liveThrough } from "./crash-lives.ts";
import {
  crowded,
  damaging,
  everyday,
  fetching,
  independent,
  inputOf,
  INPUTS,
  publishing,
  quietTime,
  repositories,
  reruns,
  restarts,
  STORE,
  type Story,
  stubborn,
  surveys,
} from "./crash-stories.ts";
import { makeWorld } from "./crash-world.ts";
import { runWithoutGreetings } from "./languages/language-stories.ts";
import type { OpenPlace } from "./job-places.ts";
import { providerFiles, providers } from "./provider-stories.ts";
import { reporting, REPORTING_SETTINGS, sharing, signingIn } from "./sharing-stories.ts";
import {
  aging,
  AGING_SETTINGS,
  keeping,
  lostHosts,
  NOTEBOOK_SETTINGS,
  notebooks,
  secrets,
  tidying,
} from "./tidy-stories.ts";
import { startCounterpart } from "../support/sign-in/counterpart.ts";
import { type Objects, serveS3 } from "../support/fakes/s3-objects.ts";
import { type GitHttpServer, startGitHttpServer } from "../files/git-http-server.ts";

const SURVEY_SERVER = path.join(import.meta.dirname, "serve-surveys.ts");
const SPECIFICATION = "workflow: {type: serial, specification: {steps: [{commands: ['true']}]}}\n";

/** Stories for crash points that `everyday` does not pass. */
const STORIES: Partial<Record<CrashPoint, Story>> = {
  "workspace-reserved": repositories,
  "repository-fetched": repositories,
  "workspace-emptied": repositories,
  "workspace-forgotten": repositories,
  "restart-recorded": restarts,
  "workspace-copied": reruns,
  "rerun-recorded": reruns,
  "take-over-recorded": independent,
  "retry-recorded": stubborn,
  "documents-collected": surveys,
  "job-collected": surveys,
  "files-asked": surveys,
  "lines-heard": surveys,
  "lines-told": surveys,
  "literals-written": surveys,
  "outputs-published": surveys,
  "snapshot-recorded": surveys,
  "job-noted": surveys,
  "stage-prepared": surveys,
  "stage-ready": surveys,
  "stage-tree-placed": surveys,
  "stage-placed": surveys,
  "stage-forgotten": surveys,
  "notebook-recorded": notebooks,
  "notebook-submitted": notebooks,
  "notebook-closing": notebooks,
  "notebook-counted": notebooks,
  "notebook-ended": notebooks,
  "secrets-added": secrets,
  "secrets-deleted": secrets,
  "job-secrets-written": secrets,
  "job-secrets-removed": secrets,
  "input-asked": fetching,
  "input-received": fetching,
  "input-stored": fetching,
  "inputs-fetched": fetching,
  "input-placed": fetching,
  "inputs-placed": fetching,
  "output-uploaded": publishing,
  "outputs-uploaded": publishing,
  "manifest-uploaded": publishing,
  "publication-recorded": publishing,
  "run-shared": sharing,
  "run-unshared": sharing,
  "user-invited": sharing,
  "code-redeemed": sharing,
  "person-recorded": providers,
  "person-signed-in": providers,
  "device-token-issued": providers,
  "provider-answered": providers,
  "provider-removed": providers,
  "provider-sessions-ended": providers,
  "check-claimed": providers,
  "person-followed": providers,
  "person-signed-out": providers,
  "token-revoked": signingIn,
  "code-issued": signingIn,
  "session-opened": signingIn,
  "session-closed": signingIn,
  "group-created": sharing,
  "group-deleted": sharing,
  "member-added": sharing,
  "member-removed": sharing,
  "notification-added": reporting,
  "notification-removed": reporting,
  "notification-claimed": reporting,
  "message-sent": reporting,
  "delivery-recorded": reporting,
  "file-pruned": tidying,
  "workspace-pruned": tidying,
  "unread-recorded": runWithoutGreetings,
  "unread-removed": runWithoutGreetings,
  "intermediates-removed": keeping,
  "rule-claimed": tidying,
  "rule-carried-out": tidying,
  "rule-applied": tidying,
  "retention-extended": tidying,
  "events-emptied": aging,
  "snapshot-removed": aging,
  "host-renewed": quietTime,
  "jobs-admitted": crowded,
  "host-declared-lost": lostHosts,
  "given-up-jobs-ended": lostHosts,
  "damage-recorded": damaging,
};

/** Earlier deaths. A server passes these points only if an earlier server left work behind. */
const BEFORE: Partial<Record<CrashPoint, string>> = {
  "lease-taken": "events-recorded:2",
  // A server looks for due rules when it starts.
  "rule-claimed": "end-recorded:1",
  "rule-carried-out": "end-recorded:1",
  "rule-applied": "end-recorded:1",
  // A server checks the people who are due when it starts.
  "check-claimed": "provider-sessions-ended:1",
  "person-followed": "provider-sessions-ended:1",
  "person-signed-out": "provider-sessions-ended:1",
  // The endless job is running at that point.
  "claim-seen": "delete-recorded:2",
};

/** Points in one world: more would leave a processor idle at the end, fewer would judge more worlds. */
const CHAIN_POINTS = 8;
/** Time for a chain, and to walk it again point by point. */
const CHAIN_MS = 300_000;
/** Stories that a world can repeat. */
const RETOLD: ReadonlySet<Story> = new Set([
  everyday,
  fetching,
  independent,
  providers,
  publishing,
  repositories,
  reporting,
  reruns,
  restarts,
  runWithoutGreetings,
  sharing,
  signingIn,
  surveys,
]);

/** Consecutive deaths, by crash point: `run-created:2` is the second pass of `run-created`. */
export type Deaths = readonly string[];

export function deathsAt(point: CrashPoint): Deaths {
  const before = BEFORE[point];
  return [...(before === undefined ? [] : [before]), `${point}:1`];
}

/**
 * Defines tests that walk many points in one world. Each server plays the story again and dies at its own
 * point. If a chain breaks a promise, every point of the chain is walked again alone, to find the culprit.
 * Points that need a story or a death of their own are walked alone.
 */
export function testPoints(points: readonly CrashPoint[], openPlace?: OpenPlace): void {
  const alone = points.filter((point) => !mayBeChained(point));
  const stories = Map.groupBy(points.filter(mayBeChained), (point) => STORIES[point] ?? everyday);
  const chains = [...stories.values()].flatMap(inChains);
  const tryDeaths = serveRepositories(openPlace);
  describe("a server", () => {
    test.concurrent.each(chains.map((chain) => ({ chain, name: chain.join(", then ") })))(
      "killed at $name",
      { timeout: CHAIN_MS },
      async ({ chain }) => {
        const crashAts = chain.map((point) => `${point}:1`);
        const broken = await sentencesOf(tryDeaths(crashAts, { isRetold: true }));
        expect(broken.length > 0 ? [...broken, ...(await nameBroken(crashAts, tryDeaths))] : []).toEqual([]);
      },
    );
  });
  if (alone.length > 0) defineDeaths(alone.map(deathsAt), tryDeaths);
}

/** Walks each point in a world of its own. Returns the broken promises. */
async function nameBroken(crashAts: Deaths, tryDeaths: TryDeaths): Promise<string[]> {
  const named: string[] = [];
  for (const crashAt of crashAts) {
    const broken = await sentencesOf(tryDeaths([crashAt]));
    named.push(...broken.map((sentence) => `Killed at ${crashAt} alone: ${sentence}`));
  }
  return named;
}

/**
 * Returns the broken promises. An error counts as a broken promise, for example a point that was not passed.
 */
function sentencesOf(broken: Promise<string[]>): Promise<string[]> {
  return broken.catch((error: unknown) => [String(error)]);
}

/** Defines a test for each series of deaths. The first death with a story of its own decides the story. */
export function testDeaths(all: readonly Deaths[], openPlace?: OpenPlace): void {
  defineDeaths(all, serveRepositories(openPlace));
}

type TryDeaths = (crashAts: Deaths, options?: { readonly isRetold: boolean }) => Promise<string[]>;

function defineDeaths(all: readonly Deaths[], tryDeaths: TryDeaths): void {
  const cases = all.map((crashAts) => ({ crashAts, name: crashAts.join(", then at ") }));
  describe("a server", () => {
    test.concurrent.each(cases)("killed at $name", async ({ crashAts }) => {
      expect(await tryDeaths(crashAts)).toEqual([]);
    });
  });
}

/** Serves repositories as long as the tests of this file run. Returns how to try a series of deaths. */
function serveRepositories(openPlace: OpenPlace | undefined): TryDeaths {
  let git: GitHttpServer;

  beforeAll(async () => {
    const objects: Objects = new Map();
    git = await startGitHttpServer((request, reply) => {
      const { url = "" } = request;
      if (url.startsWith(STORE)) return serveS3(objects, STORE, request, reply);
      const isInput = url.startsWith(INPUTS);
      if (isInput) reply.end(inputOf(url));
      return isInput;
    });
    await git.addRepository("right", { "reana.yaml": SPECIFICATION, "data/in.txt": "small" });
    await git.addRepository("wrong", { "reana.yaml": "workflow: {type: unheard-of}\n" });
  });

  afterAll(() => git.close());

  return async (crashAts, { isRetold } = { isRetold: false }) => {
    const tell = storyOf(crashAts);
    const cern = tell === providers ? await startCounterpart({ redirectUris: [] }) : undefined;
    const world = await makeWorld({
      openPlace,
      program: tell === surveys ? SURVEY_SERVER : undefined,
      environment: {
        REPRISE_CORES: "2",
        REPRISE_GIT_HTTP_HOSTS: "127.0.0.1",
        REPRISE_GIT_PRIVATE_HOSTS: "127.0.0.1",
        REPRISE_DATA_HTTP_HOSTS: "127.0.0.1",
        REPRISE_DATA_PRIVATE_HOSTS: "127.0.0.1",
        ...(tell === aging && AGING_SETTINGS),
        ...(tell === reporting && REPORTING_SETTINGS),
        ...(tell === notebooks && NOTEBOOK_SETTINGS),
      },
      ...(cern && { files: (folder) => providerFiles(folder, cern) }),
    });
    try {
      return await liveThrough(world, { crashAts, tell: (place) => tell(place, { git, cern }), isRetold });
    } finally {
      await world.remove();
      await cern?.close();
    }
  };
}

/** Returns whether a server passes the point each time the story is played. */
function mayBeChained(point: CrashPoint): boolean {
  return BEFORE[point] === undefined && RETOLD.has(STORIES[point] ?? everyday);
}

function inChains(points: readonly CrashPoint[]): (readonly CrashPoint[])[] {
  return Array.from({ length: Math.ceil(points.length / CHAIN_POINTS) }, (_, index) =>
    points.slice(index * CHAIN_POINTS, (index + 1) * CHAIN_POINTS),
  );
}

function storyOf(crashAts: Deaths): Story {
  const told = crashAts.flatMap((crashAt) => STORIES[crashAt.split(":")[0] as CrashPoint] ?? []);
  return told[0] ?? everyday;
}
