import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import { openTestDatabase, type TestDatabase } from "#store/dialects/postgres-databases-suite";
import { hasPostgres, needsPostgres } from "#store/dialects/postgres-server-suite";
import { plansOf } from "#store/dialects/query-plans-suite";
import {
  jobPlacesOfWorkspace,
  jobsOfRuns,
  maybeCurrentJob,
  newestJobs,
  openJobs,
  pageOfJobs,
} from "#store/jobs/jobs";
import { heldRunsToStop, maybeTakeLease, runsToTake } from "#store/hosts/leases";
import { engineLog, nextRunEventSeq, runEvents } from "#store/events/run-events";
import { maybeFirstInQueue, queuedBefore, queueLengths } from "#store/runs/run-queue";
import { maybeTokenOwner } from "#store/users/tokens";
import { findUsers, maybeUserByEmail } from "#store/users/users";
import { countRuns, listRuns, type RunFilter } from "#store/runs/run-list";
import { maybeRun, maybeRunByName, oneDefinition } from "#store/runs/runs";
import { mustRemoveWorkspace } from "#store/workspaces/workspaces";

/** Size of the data: 1,000 users, each with 100 runs. Few runs are queued or running, and a tenth is deleted. */
const USERS = 1000;
const RUNS = 100_000;

describe("PostgreSQL uses an index for every request among 100,000 runs", () => {
  let database: TestDatabase | undefined;
  let db: Connection;

  beforeAll(async () => {
    if (!hasPostgres()) return;
    database = await openTestDatabase();
    db = openPostgres(database.url, { isUnhurried: true });
    await fill(db);
  });

  afterAll(async () => {
    await db?.destroy();
    await database?.giveBack();
  });

  beforeEach(needsPostgres);

  const page = { newestFirst: true, offset: 20, limit: 20 };
  const list = (filter: Omit<RunFilter, "userId"> = {}, wanted = page) =>
    listRuns(db, { userId: "user 7", ...filter }, wanted);

  test.each<[string, () => Promise<unknown>]>([
    ["the list", () => list()],
    ["the list, the oldest first", () => list({}, { ...page, newestFirst: false })],
    ["the list of one status", () => list({ statuses: ["running"] })],
    ["the list of several", () => list({ statuses: ["running", "queued", "failed"] })],
    ["the list of one name", () => list({ name: "run 3" })],
    ["the list of a part of a name", () => list({ nameContains: "run 3" })],
    ["the total", () => countRuns(db, { userId: "user 7" })],
    ["the owner of a token", () => maybeTokenOwner(db, "hash 77", 0)],
    ["a user by address", () => maybeUserByEmail(db, "mail 77")],
    ["a user by token", () => findUsers(db, { tokenHash: "hash 77" })],
    ["a run by id", () => maybeRun(db, "run 777")],
    ["a run by name", () => maybeRunByName(db, "user 7", "run 3")],
    ["a run by name and number", () => maybeRunByName(db, "user 7", "run 3", { major: 8, minor: 0 })],
    ["what a run was asked for", () => oneDefinition(db, "run 777").catch(() => undefined)],
    ["who is in the queue", () => queueLengths(db)],
    ["the next of a user in the queue", () => maybeFirstInQueue(db, "user 7")],
    ["how many are before it", () => queuedBefore(db, { ownerId: "user 7", queuedAtMs: 5, seq: 5 })],
    ["the runs that may be taken", () => runsToTake(db, "host")],
    ["the lease of a run", () => maybeTakeLease(db, "run 777", "host")],
    ["the runs to stop", () => heldRunsToStop(db, "host")],
    ["the events of a run", () => runEvents(db, "run 777")],
    ["the last event of a run", () => nextRunEventSeq(db, "run 777")],
    ["the log of a run", () => engineLog(db, "run 777")],
    ["the jobs of runs", () => jobsOfRuns(db, ["run 777", "run 778"])],
    ["the newest jobs of a run", () => newestJobs(db, "run 777", 20)],
    ["the jobs of a node", () => pageOfJobs(db, { runId: "run 777", node: "n", offset: 0, limit: 20 })],
    ["the current job of a run", () => maybeCurrentJob(db, "run 777")],
    ["the open jobs of a run", () => openJobs(db, "run 777")],
    ["the jobs in a workspace", () => jobPlacesOfWorkspace(db, "space 777")],
    ["whether a workspace is to be removed", () => mustRemoveWorkspace(db, "space 777")],
  ])("%s", async (_what, ask) => {
    for (const rows of await plansOf(db, "explain", ask)) {
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).not.toMatch(
        /Seq Scan on (runs|tokens|users|jobs|run_events|run_definitions|workspaces)/,
      );
    }
  });
});

async function fill(db: Connection): Promise<void> {
  const users = sql.lit(USERS);
  await sql`insert into users (id, email, email_key, created_at)
    select 'user ' || n, 'mail ' || n, 'mail ' || n, 0 from generate_series(1, ${users}) n`.execute(db);
  await sql`insert into tokens (id, user_id, hash, kind, scope, sealed, created_at)
    select 'token ' || n, 'user ' || n, 'hash ' || n, 'token', 'everything', '', 0 from generate_series(1, ${users}) n`.execute(
    db,
  );
  await sql`insert into workspaces (id, owner_id, created_at)
    select 'space ' || n, 'user ' || (n % ${users} + 1), 0 from generate_series(1, ${sql.lit(RUNS)}) n`.execute(
    db,
  );
  await sql`insert into runs (id, owner_id, workspace_id, name, run_major, run_minor, status, language, created_at, queued_at)
    select 'run ' || n, 'user ' || (n % ${users} + 1), 'space ' || n, 'run ' || (n / ${users} % 10), n, 0,
      case when n % 10 = 0 then 'deleted' when n % 997 = 0 then 'running' when n % 499 = 0 then 'queued'
        when n % 7 = 0 then 'failed' else 'finished' end, 'serial', 0, n
    from generate_series(1, ${sql.lit(RUNS)}) n`.execute(db);
  await sql`insert into run_definitions (run_seq, specification, input_parameters, listed_parameters, operational_options)
    select seq, '{}', '{}', '{}', '{}' from runs`.execute(db);
  await sql`insert into run_counts (owner_id, status, total)
    select owner_id, status, count(*) from runs group by owner_id, status`.execute(db);
  await sql`insert into run_events (run_id, seq, kind, body, log, at)
    select 'run ' || n, e, 'k', 'null', 'l', 0 from generate_series(1, ${sql.lit(RUNS)}) n, generate_series(0, 2) e`.execute(
    db,
  );
  await sql`insert into jobs (id, run_id, ordinal, key, attempt, name, node, command, backend, status, host_token, created_at)
    select 'job ' || n, 'run ' || n, 0, 'k', 1, '', 'n', '', 'b', 'finished', 'b', 0
    from generate_series(1, ${sql.lit(RUNS)}) n`.execute(db);
  await sql`insert into hosts (id, name, seen_at) values ('host', 'host', 0)`.execute(db);
  await sql`analyze`.execute(db);
}
