import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type App, startApp } from "#app/start";
import { backUp, restore } from "#app/backup";
import { readConfig } from "#config/read";
import type { Config } from "#config/settings";
import { BACKUP_CRASH_POINTS } from "#plumbing/crash-points";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { command } from "../support/command.ts";
import { client, temporaryFolder } from "../support/real-server.ts";

const VERSION = "1.2.3";
const SETUP_MS = 110_000;

/** The original server and a job stay alive while the commands for the backup are killed. */
let folder: string;
let remove: () => Promise<void>;
let original: App;
let live: string;

const place = (name: string) => path.join(folder, name);
const configOf = (name: string, environment = {}): Config =>
  readConfig(environment, { dataFolder: place(name), port: "0", sampleRun: false, cores: "2" });
const api = (app = original) => client(app.url, app.adminToken);

/** Runs `reprise … ` as a process that is killed at a crash point. */
async function killedAt(crashAt: string, words: readonly string[], environment = {}): Promise<void> {
  const typed = command(words, { environment: { ...environment, CRASH_AT: crashAt } });
  expect(await typed.ended, typed.stderr()).toBe("SIGKILL");
}

/** Returns the runs of a server on the folder, to compare with the runs acknowledged before the backup. */
async function served(name: string, environment = {}): Promise<string[]> {
  const app = await startApp(configOf(name, environment), VERSION);
  try {
    // Its job belongs to the original, and counts as lost here.
    await api(app).ended(live);
    const { body } = await api(app).call("GET", "workflows", undefined, "&type=batch");
    const runs = body["items"] as { id: string; name: string; status: string }[];
    const told = runs.map(async ({ id, name: run, status }) => {
      const file = await api(app).download(id, "a.txt");
      return `${run} ${status} ${file.text}`;
    });
    return (await Promise.all(told)).toSorted();
  } finally {
    await app.close();
  }
}

const COPY = ["live.1 failed of live", "over.1 finished of over"];

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  original = await startApp(configOf("data"), VERSION);
  const begin = async (name: string, commands: string[]) => {
    const run = await api().create(commands, name);
    await api().upload(run, "a.txt", `of ${name}`);
    await api().setStatus(run, "start");
    return run;
  };
  await api().ended(await begin("over", ["true"]));
  live = await begin("live", ["until [ -e go ]; do sleep 0.05; done; echo once >> ran"]);
  await vi.waitUntil(async () => (await api().status(live))["status"] === "running", { timeout: SETUP_MS });
  await backUp(configOf("data"), VERSION, place("whole"));
});

afterAll(async () => {
  await original.close({ stopJobs: true });
  await remove();
});

const points = (beginning: string) =>
  Object.keys(BACKUP_CRASH_POINTS).filter((point) => point.startsWith(beginning));

describe("a killed backup", () => {
  const backUpTo = (name: string) => backUp(configOf("data"), VERSION, place(name));
  const restoreOf = (name: string) => restore(configOf(`from-${name}`), VERSION, place(name));

  test.each(points("backup-"))("at %s is complete, or recognised as incomplete", async (point) => {
    const part = `${point}.part`;
    await killedAt(`${point}:1`, ["backup", place(point), "--data", place("data")]);
    expect(existsSync(place(point))).toBe(point === "backup-published");
    if (point === "backup-published") {
      await expect(backUpTo(point)).rejects.toThrow("exists already. Name a new folder.");
      await restoreOf(point);
      return expect(await served(`from-${point}`)).toEqual(COPY);
    }
    await expect(backUpTo(point)).rejects.toThrow(
      `${place(part)} exists. Another backup is being written to it; or one was interrupted, then remove it.`,
    );
    // The backup is complete and read back, but has a temporary name.
    if (point === "backup-whole") await restoreOf(part);
    else {
      await expect(restoreOf(part)).rejects.toThrow(
        `${place(part)} is an incomplete backup: it is still being written, or was interrupted. Nothing was restored.`,
      );
      expect(existsSync(place(`from-${part}`))).toBe(false);
    }
    await rm(place(part), { recursive: true });
    await backUpTo(point);
    await restoreOf(point);
    expect(await readdir(place(`from-${point}`))).not.toContain("restoring");
  });
});

describe("a killed restore", () => {
  const words = (name: string) => ["restore", place("whole"), "--data", place(name)];
  const HALF =
    "a backup is being restored into it, or a restore was interrupted. In that case, empty the folder and restore";

  async function isKnownAsHalf(name: string, environment = {}): Promise<void> {
    const config = configOf(name, environment);
    await expect(startApp(config, VERSION)).rejects.toThrow(HALF);
    await expect(restore(config, VERSION, place("whole"))).rejects.toThrow(HALF);
    await expect(backUp(config, VERSION, place(`of-${name}`))).rejects.toThrow(HALF);
    expect(existsSync(place(`of-${name}`))).toBe(false);
  }

  const cases = [...points("restore-").map((point) => `${point}:1`), "restore-moved:4"];
  test.each(cases)("at %s is complete, or recognised as incomplete", async (crashAt) => {
    const name = crashAt.replace(":", "-");
    await killedAt(crashAt, words(name));
    if (!crashAt.startsWith("restore-published")) {
      await isKnownAsHalf(name);
      await rm(place(name), { recursive: true });
      await restore(configOf(name), VERSION, place("whole"));
    }
    expect(await served(name)).toEqual(COPY);
  });

  test("with a filled PostgreSQL needs an empty database, and reports the need", async (context) => {
    needsPostgres(context);
    const [filled, empty] = [await makeDatabase("template1"), await makeDatabase("template1")];
    await killedAt("restore-database-filled:1", words("pg"), { REPRISE_DATABASE: filled });
    await isKnownAsHalf("pg", { REPRISE_DATABASE: filled });
    await rm(place("pg"), { recursive: true });
    await expect(
      restore(configOf("pg", { REPRISE_DATABASE: filled }), VERSION, place("whole")),
    ).rejects.toThrow("holds tables of Reprise already; make an empty one");
    await restore(configOf("pg", { REPRISE_DATABASE: empty }), VERSION, place("whole"));
    expect(await served("pg", { REPRISE_DATABASE: empty })).toEqual(COPY);
  });
});

test("the original is undisturbed: the job continues, and ran once", async () => {
  await api().upload(live, "go", "");
  expect(await api().ended(live)).toMatchObject({ status: "finished" });
  expect((await api().download(live, "ran")).text).toBe("once\n");
});
