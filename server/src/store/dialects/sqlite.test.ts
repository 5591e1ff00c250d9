import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Connection, migrate, transaction } from "#store/database/database";
import { plansOf } from "#store/dialects/query-plans-suite";
import { openSqlite } from "#store/dialects/sqlite";
import { type JobFilter, matchingJobs } from "#store/jobs/filtered-jobs";
import { maybeRunToEmpty, runsToDelete } from "#store/runs/old-runs";
import { maybeFirstInQueue, queueLengths } from "#store/runs/run-queue";
import { engineLog, nextRunEventSeq, runEvents } from "#store/events/run-events";
import { newestJobIds } from "#store/events/run-news";
import { maybeSubmitted } from "#store/jobs/waiting-jobs";
import { drawingOf, nodesOfRun } from "#store/jobs/run-nodes";
import {
  countJobs,
  jobPlacesOfWorkspace,
  jobsOfRuns,
  maybeCurrentJob,
  newestJobs,
  pageOfJobs,
} from "#store/jobs/jobs";
import { addRun, addUser, endJob, insertJob, newJob, newRun } from "#store/store-suite";
import { findUsers, maybeUser, maybeUserByEmail } from "#store/users/users";
import { countRuns, listRuns, streamRuns, type RunFilter } from "#store/runs/run-list";
import { insertRun, maybeRun, maybeRunByName, oneDefinition } from "#store/runs/runs";
import { isWorkspaceUsed, mustRemoveWorkspace } from "#store/workspaces/workspaces";
import { migrations } from "#store/migrations/index";
import type { RunStatus } from "#workflow/run/run-status";
import { maybeTokenOwner, revokeProviderSessions } from "#store/users/tokens";

/** The folder from which `#store/…` is resolved in a script without a file. */
const SERVER_FOLDER = path.join(import.meta.dirname, "..", "..", "..");

describe("SQLite in a file", () => {
  let folder: string;
  let file: string;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-sqlite-"));
    file = path.join(folder, "store.sqlite");
  });

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    }
    await rm(folder, { recursive: true });
  });

  function script(code: string) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", code, file], {
      cwd: SERVER_FOLDER,
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    return child;
  }

  test("a reopened database has everything that was written, and closing leaves one file", async () => {
    const db = openSqlite(file, "normal");
    await migrate(db);
    const user = await addUser(db);
    expect(await readdir(folder)).toContain("store.sqlite-wal");
    await db.destroy();
    expect(await readdir(folder)).toEqual(["store.sqlite"]);
    const again = openSqlite(file, "normal");
    expect(await maybeUser(again, user.id)).toEqual(user);
    await again.destroy();
    expect(await readdir(folder)).toEqual(["store.sqlite"]);
  });

  test("the durability is as configured, and foreign keys hold", async () => {
    const settings = async (durability: "normal" | "full") => {
      const db = openSqlite(file, durability);
      const read = async (name: string) => {
        const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
        return Object.values(rows[0]!)[0];
      };
      const found = [await read("journal_mode"), await read("synchronous"), await read("foreign_keys")];
      await db.destroy();
      return found;
    };
    expect(await settings("normal")).toEqual(["wal", 1, 1]);
    // The syncs of `full` are shared, and not made by SQLite itself.
    expect(await settings("full")).toEqual(["wal", 1, 1]);
  });

  test("acknowledged changes survive a killed process", async () => {
    const writer = script(`
      import { migrate } from "#store/database/database";
      import { openSqlite } from "#store/dialects/sqlite";
      import { insertUser } from "#store/users/users";
      const db = openSqlite(process.argv[1], "normal");
      await migrate(db);
      for (let count = 0; ; count += 1) {
        const id = "user-" + count;
        await insertUser(db, { id, email: id, isAdmin: false, disabledAtMs: null, createdAtMs: 0 });
        await new Promise((resolve) => process.stdout.write(id + "\\n", resolve));
      }
    `);
    let acknowledged = "";
    const { promise: isBusy, resolve: tellBusy } = Promise.withResolvers<void>();
    writer.stdout.on("data", (chunk: Buffer) => {
      acknowledged += chunk.toString();
      if (acknowledged.includes("user-200\n")) tellBusy();
    });
    await isBusy;
    writer.kill("SIGKILL");
    await once(writer, "close");
    const db = openSqlite(file, "normal");
    const kept = new Set((await findUsers(db, {})).map((user) => user.id));
    const lost = acknowledged
      .split("\n")
      .slice(0, -1)
      .filter((id) => !kept.has(id));
    expect(lost).toEqual([]);
    await db.destroy();
  });

  test("several processes that migrate an empty file at the same time migrate once", async () => {
    const migrating = `
      import { migrate } from "#store/database/database";
      import { openSqlite } from "#store/dialects/sqlite";
      process.stdout.write("ready");
      process.stdin.once("data", async () => {
        const db = openSqlite(process.argv[1], "normal");
        await migrate(db);
        await db.destroy();
        process.exit(0);
      });
    `;
    const processes = [script(migrating), script(migrating), script(migrating)];
    await Promise.all(processes.map((child) => once(child.stdout, "data")));
    const exits = processes.map((child) => once(child, "exit"));
    for (const child of processes) child.stdin.write("go");
    expect(await Promise.all(exits)).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    const db = openSqlite(file, "normal");
    const done = await db.selectFrom("migrations").selectAll().orderBy("name").execute();
    expect(done.map(({ name }) => name)).toEqual(Object.keys(migrations));
    await db.destroy();
  });

  test("a database of a newer version is refused without a byte being changed", async () => {
    const newer = openSqlite(file, "normal");
    await migrate(newer);
    await newer.insertInto("migrations").values({ name: "9999-newer" }).execute();
    await newer.destroy();
    const before = { bytes: await readFile(file), changedAtMs: (await stat(file)).mtimeMs };
    const db = openSqlite(file, "normal");
    await expect(migrate(db)).rejects.toThrow("9999-newer");
    await db.destroy();
    const after = { bytes: await readFile(file), changedAtMs: (await stat(file)).mtimeMs };
    expect(after.bytes.equals(before.bytes)).toBe(true);
    expect(after.changedAtMs).toBe(before.changedAtMs);
    expect(await readdir(folder)).toEqual(["store.sqlite"]);
  });

  test("a file that is not a database is refused and left alone", async () => {
    await writeFile(file, "This is a diary, and not a database. ".repeat(100));
    expect(() => openSqlite(file, "normal")).toThrow("file is not a database");
    expect(await readFile(file, "utf8")).toContain("This is a diary");
    expect(await readdir(folder)).toEqual(["store.sqlite"]);
  });

  test("a transaction has the right to write from its beginning, before it has written", async () => {
    const db = openSqlite(file, "normal");
    await migrate(db);
    const other = new SqliteDatabase(file, { timeout: 0 });
    await transaction(db, async (connection) => {
      await maybeUser(connection, "u");
      expect(() => other.exec("begin immediate")).toThrow("database is locked");
      await addUser(connection);
    });
    other.exec("begin immediate; rollback");
    other.close();
    await db.destroy();
  });

  test("when no page is left the error says so, nothing of the transaction stays, and it continues with room", async () => {
    const db = openSqlite(file, "normal");
    await migrate(db);
    const { id: ownerId } = await addUser(db);
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit(rows[0]!.page_count + 4)}`.execute(db);
    const specification = {
      workflow: { type: "serial", specification: { steps: [{ commands: ["x".repeat(100_000)] }] } },
    } as const;
    const small = newRun(ownerId);
    const writing = transaction(db, async (connection) => {
      await insertRun(connection, small);
      await insertRun(connection, newRun(ownerId, { specification }));
    });
    await expect(writing).rejects.toThrow("database or disk is full");
    expect(await maybeRun(db, small.id)).toBeUndefined();
    await sql`pragma max_page_count = 100000`.execute(db);
    expect(await addRun(db, ownerId)).toMatchObject({ runMajor: 1 });
    await db.destroy();
  });
});

describe("SQLite uses an index for every request, and sorts nothing", () => {
  let db: Connection;

  beforeEach(async () => {
    db = openSqlite(":memory:", "normal");
    await migrate(db);
  });

  afterEach(() => db.destroy());

  /** Returns whether the step only passes a value into the statement, which SQLite lists as a step too. */
  const isValue = (step: string) => step === "SCAN CONSTANT ROW" || step.startsWith("SCALAR SUBQUERY");

  const stepsOf = async (ask: () => Promise<unknown>) => {
    const plans = await plansOf(db, "explain query plan", ask);
    return plans.flatMap((plan) => plan.map((row) => row["detail"]!).filter((step) => !isValue(step)));
  };

  const isSlow = (plan: string) => plan.startsWith("SCAN") || plan.includes("TEMP B-TREE");

  const page = { newestFirst: true, offset: 20, limit: 20 };
  const oldestFirst = { ...page, newestFirst: false };
  const list = (filter: Omit<RunFilter, "userId"> = {}, wanted = page) => ({
    list: () => listRuns(db, { userId: "u", ...filter }, wanted),
    count: () => countRuns(db, { userId: "u", ...filter }),
  });
  const clientStatuses = "created,running,finished,failed,stopped,queued,pending".split(",") as RunStatus[];
  const CURRENT = "SEARCH runs USING INDEX runs_current (owner_id=?)";
  const COUNTS = "SEARCH run_counts USING INDEX sqlite_autoindex_run_counts_1 (owner_id=?)";
  const ONE_STATUS = "SEARCH runs USING INDEX runs_by_owner_status (owner_id=? AND status=?)";

  test("the list, however the statuses are named and whichever way it goes", async () => {
    for (const filter of [{}, { statuses: clientStatuses }]) {
      expect(await stepsOf(list(filter).list)).toEqual([CURRENT]);
      expect(await stepsOf(list(filter, oldestFirst).list)).toEqual([CURRENT]);
      expect(await stepsOf(list(filter).count)).toEqual([COUNTS]);
    }
    expect(await stepsOf(list({ nameContains: "x" }).list)).toEqual([CURRENT]);
  });

  test("the list of one status, of several, and of all with the deleted ones", async () => {
    expect(await stepsOf(list({ statuses: ["running"] }).list)).toEqual([ONE_STATUS]);
    expect(await stepsOf(list({ statuses: ["deleted"] }, oldestFirst).list)).toEqual([ONE_STATUS]);
    for (const statuses of [
      ["running", "queued"],
      ["failed", "stopped", "finished", "deleted"],
      [...clientStatuses, "deleted"],
    ] satisfies RunStatus[][]) {
      const plans = await stepsOf(list({ statuses }).list);
      expect(plans).toContain("SEARCH runs USING INTEGER PRIMARY KEY (rowid=?)");
      expect(plans).toContain("MERGE (UNION ALL)");
      expect(plans.filter(isSlow)).toEqual([]);
      expect(await stepsOf(list({ statuses }).count)).toEqual([COUNTS]);
    }
  });

  test("the list of a single name and of a single id", async () => {
    const byName = "SEARCH runs USING INDEX runs_current_by_name (owner_id=? AND name=?)";
    expect(await stepsOf(list({ name: "w" }).list)).toEqual([byName]);
    expect(await stepsOf(list({ name: "w", statuses: clientStatuses }, oldestFirst).list)).toEqual([byName]);
    expect(await stepsOf(list({ name: "w", statuses: ["failed", "running"] }).list)).toEqual([byName]);
    expect((await stepsOf(list({ id: "i" }).list))[0]).toMatch(/^SEARCH runs USING INDEX sqlite_autoindex/);
  });

  test("the sessions of a person at a provider are found by the person", async () => {
    const sessions = { issuer: "https://auth.example.org", subject: "ada", session: "s", openedUntilMs: 1 };
    expect(await stepsOf(() => revokeProviderSessions(db, sessions, 1))).toEqual([
      "SEARCH tokens USING INDEX tokens_of_person (issuer=? AND subject=?)",
    ]);
  });

  test("a submitted job is found without reading all open jobs of the run", async () => {
    const [first, ...more] = await stepsOf(() => maybeSubmitted(db, { id: "i", jobsRunning: 0 }));
    expect(first).toBe("SEARCH jobs USING INDEX jobs_concerned (run_id=?)");
    expect(new Set(more)).toEqual(new Set(["SEARCH jobs USING INDEX jobs_open (run_id=?)"]));
  });

  test("old runs are read in the order of ends, and no other runs", async () => {
    const [toDelete] = await stepsOf(() => runsToDelete(db, { endedBeforeMs: 1, max: 20 }));
    expect(toDelete).toBe("SEARCH runs USING INDEX runs_to_delete (<expr><?)");
    expect(await stepsOf(() => maybeRunToEmpty(db, 1))).toEqual([
      "SEARCH runs USING INDEX runs_to_empty (<expr><?)",
      expect.stringMatching(/SUBQUERY/),
      expect.stringMatching(/^SEARCH run_tags USING COVERING INDEX .* \(run_seq=\? AND tag=\?\)$/),
    ]);
  });

  test("users by token are found before they are sorted", async () => {
    const plans = await stepsOf(() => findUsers(db, { tokenHash: "h" }));
    expect(plans[0]).toMatch(/^SEARCH users USING INDEX/);
    expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual([]);
  });

  test("a stream continues where it was", async () => {
    const { id: ownerId } = await addUser(db);
    await transaction(db, async (connection) => {
      for (let count = 0; count < 501; count += 1) await insertRun(connection, newRun(ownerId));
    });
    const plans = await stepsOf(async () => {
      let seen = 0;
      for await (const piece of streamRuns(db, { userId: ownerId }, true)) seen += piece.length;
      expect(seen).toBe(501);
    });
    expect(plans).toEqual([CURRENT, CURRENT.replace(")", " AND seq<?)")]);
  });

  test.each<[string, (db: Connection) => Promise<unknown>]>([
    ["the owner of a token", (on) => maybeTokenOwner(on, "h", 0)],
    ["a user by id", (on) => maybeUser(on, "u")],
    ["a user by address", (on) => maybeUserByEmail(on, "a")],
    ["a run by id", (on) => maybeRun(on, "w")],
    ["a run by name", (on) => maybeRunByName(on, "u", "n")],
    ["a run by name and number", (on) => maybeRunByName(on, "u", "n", { major: 1, minor: 0 })],
    ["what a run was asked for", (on) => oneDefinition(on, "w").catch(() => undefined)],
    ["the next of a user in the queue", (on) => maybeFirstInQueue(on, "u")],
    ["the events of a run", (on) => runEvents(on, "w")],
    ["the last event of a run", (on) => nextRunEventSeq(on, "w")],
    ["the log of a run", (on) => engineLog(on, "w")],
    ["whether a workspace is used", (on) => isWorkspaceUsed(on, "s")],
    ["whether a workspace is to be removed", (on) => mustRemoveWorkspace(on, "s")],
    ["the newest jobs of a run", (on) => newestJobs(on, "w", 20)],
    ["a page of the jobs of a run", (on) => pageOfJobs(on, { runId: "w", offset: 500, limit: 20 })],
    ["the jobs of a node", (on) => pageOfJobs(on, { runId: "w", node: "n", offset: 0, limit: 20 })],
    ["the newest jobs of one status", (on) => newestJobIds(on, { runId: "w", status: "failed", limit: 9 })],
    ["the current job of a run", (on) => maybeCurrentJob(on, "w")],
    ["the number of jobs of a run", (on) => countJobs(on, "w")],
    ["the nodes of a run", (on) => nodesOfRun(on, "w")],
    ["what was drawn of a run", (on) => drawingOf(on, "w")],
    ["the jobs in a workspace", (on) => jobPlacesOfWorkspace(on, "s")],
    ["the jobs of several runs", (on) => jobsOfRuns(on, ["a", "b"])],
    ["a user by address, with the token", (on) => findUsers(on, { email: "a" })],
  ])("%s", async (_what, ask) => {
    const plans = await stepsOf(() => ask(db));
    expect(plans.filter(isSlow)).toEqual([]);
  });

  test("jobs by status, node, key and text, a piece of the run at a time", async () => {
    const run = newRun((await addUser(db)).id);
    await insertRun(db, run);
    const job = newJob(run.id, 0, { node: "n" });
    await insertJob(db, job);
    await endJob(db, job.id, { reason: "exited", exitCode: 1, startedAtMs: 1, endedAtMs: 2 }, 1);
    const matching = async (filter: JobFilter) => {
      const part = { offset: 0, limit: 20, newestFirst: false };
      const ask = () => matchingJobs(db, run.id, filter, part);
      expect((await ask()).total).toBe(1);
      const steps = await stepsOf(ask);
      expect(steps.filter(isSlow)).toEqual([]);
      return steps[1];
    };
    const range = "AND ordinal>? AND ordinal<?)";
    expect(await matching({ text: "TRUE" })).toBe(`SEARCH jobs USING INDEX jobs_of_run (run_id=? ${range}`);
    expect(await matching({ status: "failed" })).toBe(
      `SEARCH jobs USING COVERING INDEX jobs_by_status (run_id=? AND status=? ${range}`,
    );
    expect(await matching({ node: "n", text: "tr" })).toMatch(/^SEARCH jobs USING INDEX jobs_of_/);
    expect(await matching({ key: job.key })).toMatch(/^SEARCH jobs USING INDEX jobs_of_/);
  });

  test("no statement is planned by values, so no statement is planned again for other values", async () => {
    const { sql: text, parameters } = db
      .selectFrom("users")
      .select("id")
      .where("id", "=", "u")
      .limit(1)
      .compile();
    expect(text.split("(select ?)")).toHaveLength(parameters.length + 1);
    expect(text.replaceAll("(select ?)", "")).not.toContain("?");
    const rows = [1, 2].map((number) => ({ name: String(number) }));
    const insert = db
      .insertInto("migrations")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing());
    expect(insert.compile().sql).toContain("values (?), (?)");
  });

  test("users with queued runs: the index holds only them", async () => {
    expect(await stepsOf(() => queueLengths(db))).toEqual(["SCAN run_counts USING INDEX run_counts_live"]);
  });
});
