import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { derivedUuid } from "#plumbing/ids";
import { type Connection, transaction } from "#store/database/database";
import { addUser, DIALECTS, newRun, insertJob, endJob, alterJobs } from "#store/store-suite";
import { moveRun } from "#store/runs/move-run";
import { insertRun } from "#store/runs/runs";
import { TRANSITIONS } from "#workflow/run/run-status";

/**
 * An operation on a store. Its numbers choose among existing objects. `fails` makes the transaction fail at its end.
 */
type Happening =
  | { readonly kind: "create"; readonly owner: number }
  | { readonly kind: "move"; readonly run: number; readonly row: (typeof TRANSITIONS)[number] }
  | { readonly kind: "submit"; readonly run: number; readonly waits: boolean }
  | { readonly kind: "retry"; readonly job: number }
  | { readonly kind: "admit"; readonly job: number }
  | { readonly kind: "end"; readonly job: number; readonly exitCode: number; readonly cancelled: boolean };

const happenings = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("create" as const), owner: fc.nat(1) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      run: fc.nat(5),
      row: fc.constantFrom(...TRANSITIONS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      run: fc.nat(5),
      waits: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("retry" as const), job: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("admit" as const), job: fc.nat(8) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      job: fc.nat(8),
      exitCode: fc.nat(1),
      cancelled: fc.boolean(),
    }),
  },
);

for (const dialect of DIALECTS) {
  describe(`The store on ${dialect.name}`, () => {
    test("the counters equal a recount after any operations, also after failures", async () => {
      const one = fc.record({ happening: happenings, fails: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: 10, maxLength: 80 }), async (sequence) => {
          const store = await dialect.open();
          try {
            await carryOut(store.db, sequence);
            expect(await counted(store.db)).toEqual(await recounted(store.db));
          } finally {
            await store.close();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

async function carryOut(
  db: Connection,
  sequence: readonly { happening: Happening; fails: boolean }[],
): Promise<void> {
  const owners = [derivedUuid("ada"), derivedUuid("bob")];
  for (const id of owners) await addUser(db, { id });
  for (const [step, { happening, fails }] of sequence.entries()) {
    const attempt = transaction(db, async (connection) => {
      await happen(connection, owners, step, happening);
      if (fails) throw new Error("on purpose");
    });
    if (fails) await expect(attempt).rejects.toThrow("on purpose");
    else await attempt;
  }
}

async function happen(
  db: Connection,
  owners: readonly string[],
  step: number,
  what: Happening,
): Promise<void> {
  if (what.kind === "create") {
    const id = derivedUuid("workflow", step);
    await insertRun(db, newRun(owners[what.owner]!, { id, workspaceId: id }));
  } else if (what.kind === "move") {
    const runId = await idAt(db, "runs", what.run);
    await moveRun(db, { runId, to: what.row.to, by: what.row.by[0]!, atMs: step });
  } else if (what.kind === "submit") {
    const runId = await idAt(db, "runs", what.run);
    const texts = {
      key: `k${step}`,
      name: "",
      node: `n${step % 2}`,
      command: "true",
      image: null,
      ...PLACEMENT,
    };
    const job = {
      status: what.waits ? "created" : "running",
      id: derivedUuid("job", step),
      runId,
      ordinal: step,
      attempt: 1,
      createdAtMs: step,
      ...texts,
    } as const;
    if (runId !== NOTHING) await insertJob(db, job);
  } else if (what.kind === "retry") {
    await retry(db, await idAt(db, "jobs", what.job), step);
  } else if (what.kind === "admit") {
    await admit(db, await idAt(db, "jobs", what.job), step);
  } else {
    const reason = what.cancelled ? "cancelled" : "exited";
    const usage = step % 3 === 0 ? {} : { usage: { cpuMs: step } };
    const end = { reason, exitCode: what.exitCode, startedAtMs: null, endedAtMs: step, ...usage } as const;
    await endJob(db, await idAt(db, "jobs", what.job), end, step);
  }
}

async function admit(db: Connection, id: string, atMs: number): Promise<void> {
  const row = await db.selectFrom("jobs").select("run_id").where("id", "=", id).executeTakeFirst();
  if (row) await alterJobs(db, row.run_id, { admitted: [{ ...PLACEMENT, ids: [id], atMs }] });
}

/** Issues the next attempt of a job that has ended, as an engine may. */
async function retry(db: Connection, id: string, step: number): Promise<void> {
  const job = await db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  const attempts = db
    .selectFrom("jobs")
    .select("id")
    .where("run_id", "=", job?.run_id ?? NOTHING);
  const last = await attempts
    .where("key", "=", job?.key ?? NOTHING)
    .orderBy("attempt", "desc")
    .executeTakeFirst();
  if (!job || last?.id !== id || job.status === "created" || job.status === "running") return;
  const { run_id: runId, key, name, node, command, image } = job;
  const texts = { runId, key, name, node, command, image, ...PLACEMENT };
  const attempt = {
    id: derivedUuid("job", step),
    attempt: job.attempt + 1,
    ordinal: step,
    createdAtMs: step,
  };
  await insertJob(db, { ...texts, ...attempt, status: "created" });
}

const PLACEMENT = { backend: "Local", hostId: "h", hostToken: "b", queueReason: null };

const NOTHING = "nothing there";

async function idAt(db: Connection, table: "runs" | "jobs", index: number): Promise<string> {
  const row = await db.selectFrom(table).select("id").orderBy("id").offset(index).limit(1).executeTakeFirst();
  return row?.id ?? NOTHING;
}

async function counted(db: Connection) {
  const totals = await db.selectFrom("run_counts").selectAll().where("total", "!=", 0).execute();
  const jobs = await db
    .selectFrom("runs")
    .select(["id", "jobs_running as running", "jobs_finished as finished", "jobs_failed as failed", "cpu_ms"])
    .orderBy("id")
    .execute();
  const nodes = (await db.selectFrom("run_nodes").selectAll().execute()).flatMap(
    ({ run_id: run, node, mark: _mark, ...totalsOfNode }) =>
      Object.entries(totalsOfNode).flatMap(([word, total]) =>
        total === 0 ? [] : [`${run} ${node} ${word} ${total}`],
      ),
  );
  return {
    totals: new Set(totals.map((row) => `${row.owner_id} ${row.status} ${row.total}`)),
    jobs,
    nodes: new Set(nodes),
  };
}

async function recounted(db: Connection) {
  const runs = await db.selectFrom("runs").select(["id", "owner_id", "status"]).orderBy("id").execute();
  const jobs = await db
    .selectFrom("jobs")
    .select(["run_id", "key", "node", "attempt", "status", "cpu_ms"])
    .execute();
  const attempts = Map.groupBy(jobs, (job) => `${job.run_id} ${job.key}`);
  const wordOf = (job: (typeof jobs)[number]) =>
    attempts.get(`${job.run_id} ${job.key}`)!.some(({ attempt }) => attempt > job.attempt)
      ? "retried"
      : job.status;
  const nodes = Map.groupBy(jobs, (job) => `${job.run_id} ${job.node} ${wordOf(job)}`);
  const groups = Map.groupBy(runs, (row) => `${row.owner_id} ${row.status}`);
  const jobsIn = (id: string, status: string) =>
    jobs.filter((job) => job.run_id === id && job.status === status).length;
  return {
    nodes: new Set([...nodes].map(([group, ofGroup]) => `${group} ${ofGroup.length}`)),
    totals: new Set([...groups].map(([group, rows]) => `${group} ${rows.length}`)),
    jobs: runs.map(({ id }) => ({
      id,
      running: jobsIn(id, "running"),
      finished: jobsIn(id, "finished"),
      failed: jobsIn(id, "failed"),
      cpu_ms: jobs.reduce((sum, job) => sum + (job.run_id === id ? (job.cpu_ms ?? 0) : 0), 0),
    })),
  };
}
