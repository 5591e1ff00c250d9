import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Durability } from "#store/dialects/sqlite";
import { Dice } from "../simulation/dice.ts";
import { RecordedDisk } from "./recorded-disk.ts";
import { type CallMoment, hasStrace, NEEDS_STRACE, readTrace, traced } from "./strace.ts";

const SERVER_FOLDER = path.join(import.meta.dirname, "..", "..");
const WRITERS = 6;
const ROWS_A_ROUND = 90;

/**
 * A program that writes several rows at a time, and prints each acknowledged row. The program closes and
 * reopens the database once, and is then killed.
 */
const WRITER = `
  import { sql } from "kysely";
  import { migrate } from "#store/database/database";
  import { openSqlite } from "#store/dialects/sqlite";
  import { insertUser } from "#store/users/users";
  const [file, durability] = process.argv.slice(1);
  let count = 0;
  for (const round of [1, 2]) {
    const db = openSqlite(file, durability);
    await migrate(db);
    await sql\`pragma wal_autocheckpoint = 30\`.execute(db);
    const writer = async () => {
      while (count < round * ${ROWS_A_ROUND}) {
        const id = "user-" + (count += 1);
        await insertUser(db, { id, email: id, isAdmin: false, disabledAtMs: null, createdAtMs: 0 });
        await new Promise((resolve) => process.stdout.write(id + "\\n", resolve));
      }
    };
    await Promise.all(Array.from({ length: ${WRITERS} }, writer));
    if (round === 1) await db.destroy();
  }
  process.kill(process.pid, "SIGKILL");
`;

describe("a power cut while rows are written", () => {
  let root: string;
  let folder: string;

  beforeEach(async (context) => {
    context.skip(!hasStrace(), NEEDS_STRACE);
    root = await realpath(await mkdtemp(path.join(os.tmpdir(), "reprise-power-")));
    folder = path.join(root, "data");
    await mkdir(folder);
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function record(durability: Durability): Promise<string> {
    const trace = path.join(root, "trace");
    const [strace, ...args] = traced(trace);
    const node = [process.execPath, "--input-type=module", "-e", WRITER];
    const child = spawn(strace!, [...args, ...node, path.join(folder, "store.sqlite"), durability], {
      cwd: SERVER_FOLDER,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(said.match(/user-/g)).toHaveLength(2 * ROWS_A_ROUND);
    return trace;
  }

  /** Returns the rows acknowledged before each cut and missing after the cut. */
  async function lost(
    trace: string,
    seed: number,
    isCut: (dice: Dice) => boolean,
  ): Promise<{ cuts: number; lost: string[] }> {
    const disk = new RecordedDisk(folder);
    const answered = new Set<string>();
    const dice = new Dice(seed, "power");
    const missing: string[] = [];
    let cuts = 0;
    for await (const call of readTrace(trace)) {
      disk.take(call);
      for (const id of answeredBy(call)) answered.add(id);
      if (!isCut(dice)) continue;
      cuts += 1;
      const image = path.join(root, `cut-${cuts}`);
      await disk.layOut(image, dice.chance(0.5) ? dice : undefined);
      const there = rowsIn(path.join(image, "store.sqlite"), answered.size === 0);
      for (const id of answered) if (!there.has(id)) missing.push(`${id} at cut ${cuts}`);
      await rm(image, { recursive: true });
    }
    return { cuts, lost: missing };
  }

  test.each([1, 2, 3])(
    "at full no acknowledged row is lost, whichever other writes survive (seed %i)",
    async (seed) => {
      const found = await lost(await record("full"), seed, (dice) => dice.chance(0.05));
      process.stdout.write(`${found.cuts} power cuts\n`);
      expect(found.lost).toEqual([]);
      expect(found.cuts).toBeGreaterThan(100);
    },
  );

  test("`normal` loses some commits, so the test can fail", async () => {
    const found = await lost(await record("normal"), 1, (dice) => dice.chance(0.05));
    expect(found.lost).not.toEqual([]);
  });
});

function answeredBy({ name, when, args, texts }: CallMoment): readonly string[] {
  if (name !== "write" || when !== "begun" || !args.startsWith("1<")) return [];
  return texts.join("").match(/user-\d+/g) ?? [];
}

/** Reads the rows. The database must be sound in any case. */
function rowsIn(file: string, mayBeEmpty: boolean): ReadonlySet<string> {
  const db = new SqliteDatabase(file);
  try {
    db.pragma("synchronous = OFF");
    expect(db.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
    const hasTable = db.prepare("select 1 from sqlite_schema where name = 'users'").get() !== undefined;
    if (!hasTable && mayBeEmpty) return new Set();
    return new Set(db.prepare("select id from users").pluck().all() as string[]);
  } finally {
    db.close();
  }
}
