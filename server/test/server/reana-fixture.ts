import { createCipheriv, createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";

/** A database with the tables of reana-db 0.95 as far as an import reads them, and REANA's shared volume. */

export const REANA_KEY = "hyper";

const TABLES = `
  create schema __reana;
  set search_path to __reana;
  create type runstatus as enum ('created', 'running', 'finished', 'failed', 'deleted', 'stopped', 'queued', 'pending');
  create table alembic_version (version_num text);
  create table user_ (id_ uuid, email text, created timestamp);
  create table user_token (id_ uuid, token bytea, status text, user_id uuid, created timestamp);
  create table resource (id_ uuid, type_ text);
  create table user_resource (user_id uuid, resource_id uuid, quota_limit bigint, quota_used bigint,
    quota_period_months integer, quota_period_start_at timestamp);
  create table workflow_resource (workflow_id uuid, resource_id uuid, quota_used bigint);
  create table workflow (id_ uuid, name text, status runstatus, owner_id uuid, reana_specification json,
    input_parameters json, operational_options json, type_ text, logs text, run_started_at timestamp,
    run_finished_at timestamp, run_stopped_at timestamp, run_number_major integer, run_number_minor integer,
    job_progress json, workspace_path text, launcher_url text, created timestamp, updated timestamp,
    git_repo text, git_provider text);
  create table job (id_ uuid, backend_job_id text, workflow_uuid uuid, status text, compute_backend text,
    docker_img text, cmd json, prettified_cmd json, job_name text, logs text, started_at timestamp,
    finished_at timestamp, created timestamp);
  create table workspace_retention_rule (id_ uuid, workflow_id uuid, workspace_files text, retention_days integer,
    apply_on timestamp, status text);
  create table user_workflow (workflow_id uuid, user_id uuid, message text, valid_until timestamp);
  insert into alembic_version values ('06dbbeef6d9b');
`;

const ADA = id(1);
const BOB = id(2);
const CPU = id(3);
const DISK = id(4);

/** Returns a UUID that ends with the number. */
export function id(number: number): string {
  return `00000abc-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export interface Workflow {
  readonly number: number;
  readonly owner: string;
  readonly name: string;
  readonly status: string;
  readonly runNumber?: readonly [major: number, minor: number];
  /** Number of the workflow that owns the workspace. Default: the workflow's own number. */
  readonly workspaceOf?: number;
  readonly jobs?: readonly { readonly status: string; readonly log: string }[];
}

export const WORKFLOWS: readonly Workflow[] = [
  {
    number: 101,
    owner: ADA,
    name: "fit",
    status: "finished",
    jobs: [{ status: "finished", log: "job one\n" }],
  },
  {
    number: 102,
    owner: ADA,
    name: "fit",
    status: "failed",
    runNumber: [1, 1],
    workspaceOf: 101,
    jobs: [{ status: "failed", log: "no such file\n" }],
  },
  {
    number: 103,
    owner: ADA,
    name: "fit",
    status: "stopped",
    runNumber: [2, 0],
    jobs: [{ status: "running", log: "" }],
  },
  { number: 104, owner: ADA, name: "live", status: "running" },
  { number: 105, owner: BOB, name: "draft", status: "created" },
  { number: 106, owner: BOB, name: "gone", status: "deleted" },
];

const SPECIFICATION = {
  inputs: { files: ["in.txt"], parameters: { n: 2 } },
  workflow: {
    type: "serial",
    specification: { steps: [{ name: "fit", environment: "debian:12", commands: ["cat in.txt > out.txt"] }] },
  },
  outputs: { files: ["out.txt"] },
};

/** Fills an empty database and an empty folder. */
export async function makeReana(url: string, volume: string): Promise<void> {
  await asking(url, async (client) => {
    await client.query(TABLES);
    await client.query("insert into resource values ($1, 'cpu'), ($2, 'disk')", [CPU, DISK]);
    for (const [user, email, token] of [
      [ADA, "ada@example.org", "token-of-ada"],
      [BOB, "bob@example.org", "token-of-bob"],
    ] as const) {
      await client.query("insert into user_ values ($1, $2, '2025-03-01 10:00')", [user, email]);
      const rows = "insert into user_token values ($1, $2, $3, $4, '2025-03-01 10:00')";
      await client.query(rows, [user, Buffer.from(sealed(token)), "active", user]);
      await client.query(rows, [CPU, Buffer.from(sealed(`${token}-before`)), "revoked", user]);
      const limits =
        "insert into user_resource values ($1, $2, 3600000, 0, 3, '2025-01-01'), ($1, $3, 0, 0, null, null)";
      await client.query(limits, [user, CPU, DISK]);
    }
    for (const workflow of WORKFLOWS) await addWorkflow(client, volume, workflow);
    await client.query(
      "insert into workspace_retention_rule values ($1, $2, '*.tmp', 30, '2025-03-31', 'applied')",
      [id(900), id(101)],
    );
    await client.query("insert into user_workflow values ($1, $2, 'look', null)", [id(101), BOB]);
  });
}

/** Encrypts as the column type of REANA's tokens does. */
function sealed(token: string): string {
  const key = createHash("sha256").update(REANA_KEY).digest();
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16));
  return Buffer.concat([cipher.update(token), cipher.final()]).toString("base64");
}

/** Changes the database of REANA. */
export async function asking(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set search_path to __reana");
    await work(client);
  } finally {
    await client.end();
  }
}

export async function addWorkflow(client: pg.Client, volume: string, workflow: Workflow): Promise<void> {
  const { number, owner, name, status, runNumber: [major, minor] = [1, 0], jobs = [] } = workflow;
  const workspace = `users/${owner}/workflows/${id(workflow.workspaceOf ?? number)}`;
  await mkdir(path.join(volume, workspace), { recursive: true });
  await writeFile(path.join(volume, workspace, "in.txt"), `input of ${number}\n`);
  const at = (minute: number) => `2025-03-01 12:${String(minute).padStart(2, "0")}:00`;
  const hasStarted = !["created", "queued"].includes(status);
  const count = (wanted: string) => ({
    total: jobs.filter((job) => job.status === wanted).length,
    job_ids: [],
  });
  await client.query(
    "insert into workflow values ($1,$2,$3,$4,$5,'{\"n\": 3}','{}','serial',$6,$7,$8,$9,$10,$11,$12,$13,null,$14)",
    [
      id(number),
      name,
      status,
      owner,
      SPECIFICATION,
      `engine of ${number}`,
      hasStarted ? at(1) : null,
      ["finished", "failed", "deleted"].includes(status) ? at(5) : null,
      status === "stopped" ? at(4) : null,
      major,
      minor,
      { total: { total: jobs.length, job_ids: [] }, finished: count("finished"), failed: count("failed") },
      `/var/reana/${workspace}`,
      new Date(Date.UTC(2025, 2, 1, 11) + number * 1000),
    ],
  );
  await client.query("insert into workflow_resource values ($1, $2, 4000)", [id(number), CPU]);
  for (const [index, job] of jobs.entries())
    await client.query(
      "insert into job values ($1,'reana-job',$2,$3,'kubernetes','debian:12','\"cat\"','\"cat in.txt\"','fit',$4,$5,$6,$5)",
      [id(number * 1000 + index), id(number), job.status, job.log, at(2), at(3)],
    );
}

/** Adds finished runs with three jobs each, the first with a log. */
export async function addRuns(url: string, count: number): Promise<void> {
  await asking(url, async (db) => {
    const uuid = (prefix: string, number: string) =>
      `('${prefix}-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;
    const [runId, jobId] = [uuid("10000000", "n"), uuid("20000000", "n * 10 + k")];
    const numbers = `generate_series(1, ${count}) n`;
    await db.query(`insert into workflow select ${runId}, 'w' || n, 'finished', owner_id, reana_specification,
      input_parameters, operational_options, type_, 'engine', run_started_at, run_finished_at, null, 1, 0, job_progress,
      '/var/reana/users/a/workflows/w' || n, null, created + n * interval '1 second'
      from workflow, ${numbers} where id_ = '${id(101)}'`);
    await db.query(`insert into job select ${jobId}, 'x', ${runId}, 'finished', 'kubernetes', 'debian:12', '"cat"',
      '"cat in.txt"', 'fit', case when k = 0 then repeat('log line', 50) end, created, created, created
      from job, ${numbers}, generate_series(0, 2) k where id_ = '${id(101_000)}'`);
    await db.query(`insert into workflow_resource select ${runId}, '${id(3)}', 4000 from ${numbers}`);
    // The keys and the index that REANA has.
    await db.query("alter table workflow add primary key (id_); alter table job add primary key (id_)");
    await db.query("alter table workflow_resource add primary key (workflow_id, resource_id)");
    await db.query("create index on job (workflow_uuid, created); analyze");
  });
}
