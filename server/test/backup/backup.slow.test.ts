import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BackupWorld, makeBackupWorld } from "./backup-world.ts";
import { brokenInCopy } from "./check-copy.ts";

const RUNS = 100;

describe("a backup that is made while a hundred runs continue", () => {
  let world: BackupWorld;

  beforeAll(async () => {
    world = await makeBackupWorld();
  });

  afterAll(() => world.remove());

  test("restored beside its original, both keep all promises", async () => {
    const { original, copy, witness } = world;
    const server = await world.start(original);
    witness.url = server.url;
    await world.beginRuns(RUNS);
    const known = world.whatIsKnown();
    // Users continue to work during the backup.
    const [backup] = await Promise.all([world.reprise("backup", world.backup, original), world.goOn()]);
    expect(backup).toMatchObject({ code: 0, complained: "" });
    expect(backup.printed).toMatch(/^Backed up .*, verified: 2 users, 10\d runs/);

    expect(await world.reprise("restore", world.backup, copy)).toMatchObject({ code: 0, complained: "" });
    const other = await world.start(copy);
    known.url = other.url;
    await world.allOver(known);
    // An endless run was live in the backup: the copy has ended it, but must leave the original's process running.
    expect(await world.processesOfOriginal()).toBeGreaterThan(0);
    expect(await brokenInCopy(world, known, other)).toEqual([]);

    await world.allOver(witness);
    expect(await world.judgeOriginal(server)).toEqual([]);
  });
});
