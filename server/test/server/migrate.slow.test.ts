import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { openPostgres } from "#store/dialects/postgres";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { migrations } from "#store/migrations/index";
import { needsPostgres, POSTGRES_PASSWORD } from "#store/dialects/postgres-server-suite";
import { startRealServer } from "../support/real-server.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

describe("reprise migrate", () => {
  let folder: string;
  folderForEach((made) => void (folder = made));

  const migrate = (url: string | undefined, ...options: string[]) => run("migrate", url, ...options);

  async function run(command: string, url: string | undefined, ...options: string[]) {
    const child: ChildProcess = spawn(process.execPath, [MAIN, command, "--data", folder, ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(url !== undefined && { REPRISE_DATABASE: url }) },
    });
    const [printed, complained] = [text(child.stdout!), text(child.stderr!)];
    const [code] = (await once(child, "exit")) as [number];
    return { code, printed: (await printed).trim(), complained: (await complained).trim() };
  }

  const ALL = Object.keys(migrations);
  const DONE = JSON.stringify({ database: "PostgreSQL", changes: ALL });
  const NOTHING = '{"database":"PostgreSQL","changes":[]}';

  test("migrates PostgreSQL once if several run at once, and needs no data folder", async (context) => {
    needsPostgres(context);
    const url = await makeDatabase("template1");
    expect((await run("doctor", url)).printed).toMatch(
      /✓ database +PostgreSQL [\d.]+ \([^)]+\) answers; the next start/,
    );
    const outcomes = await Promise.all([1, 2, 3].map(() => migrate(url, "--json")));
    expect(outcomes.map(({ code, complained }) => `${code}${complained}`)).toEqual(["0", "0", "0"]);
    expect(outcomes.map(({ printed }) => printed).toSorted()).toEqual([DONE, NOTHING, NOTHING]);
    expect((await migrate(url)).printed).toBe(
      "The database (PostgreSQL) is up to date: there was nothing to do.",
    );
    expect((await run("doctor", url)).printed).toContain("answers, and its tables are up to date");
    expect(await readdir(folder)).toEqual([]);
  });

  test("migrates SQLite too, and is refused beside a server, because each start does it", async () => {
    const outcomes = await Promise.all([1, 2].map(() => migrate(undefined)));
    expect(outcomes.map(({ printed }) => printed).toSorted()).toEqual([
      `The database (SQLite) has been brought up to date: ${ALL.join(", ")}.`,
      "The database (SQLite) is up to date: there was nothing to do.",
    ]);
    const server = await startRealServer(folder);
    const refused = await migrate(undefined);
    expect(refused).toMatchObject({ code: 1, printed: "" });
    expect(refused.complained).toContain("is in use by another Reprise process");
    await server.stop();
  });

  test("a newer database is refused, also by a server, with a sentence and without the password", async (context) => {
    needsPostgres(context);
    const url = await makeDatabase();
    const db = openPostgres(url);
    await db.insertInto("migrations").values({ name: "9999-newer" }).execute();
    await db.destroy();
    const { code, complained } = await migrate(url);
    expect({ code, complained }).toEqual({
      code: 1,
      complained:
        "The database was written by a newer version of Reprise (it knows 9999-newer, this version does not). " +
        "Start that version, or restore a backup that was made with this one. Nothing was changed.",
    });
    const started = await startRealServer(folder, { REPRISE_DATABASE: url }).catch(String);
    expect(started).toContain(complained);
  });

  test("an unreachable database is reported plainly, and never with the password", async (context) => {
    needsPostgres(context);
    const url = await makeDatabase();
    for (const [address, reason] of [
      [
        url.replace(POSTGRES_PASSWORD, `wrong-${POSTGRES_PASSWORD}`),
        "PostgreSQL refused the login: password authentication failed",
      ],
      [
        url.replace(/test_[\w-]+/, "no_such_database"),
        'PostgreSQL refused the connection: database "no_such_database" does not exist',
      ],
      [
        `postgres://ada:${POSTGRES_PASSWORD}@127.0.0.1:1/reprise`,
        "The database does not answer (connect ECONNREFUSED 127.0.0.1:1",
      ],
    ] as const) {
      const { code, complained } = await migrate(address);
      const [sentence] = complained.split(". ");
      expect(code).toBe(1);
      expect(sentence).toContain(reason);
      expect(complained).toContain(
        "Nothing was changed. Check that PostgreSQL is running, and that REPRISE_DATABASE",
      );
      expect(complained).not.toContain(POSTGRES_PASSWORD);
    }
  });
});
