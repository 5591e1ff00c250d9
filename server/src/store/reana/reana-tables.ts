import type {
  ReanaJob,
  ReanaRule,
  ReanaShare,
  ReanaToken,
  ReanaUser,
  ReanaWorkflow,
} from "#store/reana/reana-rows";

/** The tables of REANA that an import reads, and how each value of a row is selected. */

interface Table {
  /** Columns without which no row can be imported. */
  readonly required: readonly string[];
  readonly values: Readonly<Record<string, Value>>;
}

interface Value {
  /** The column, with its table if the value is of another one. If a version of REANA lacks the column, the value is null. */
  readonly column: string;
  readonly sql: string;
}

function column(name: string, sql = name): Value {
  return { column: name, sql };
}

/** REANA stores times without a zone, in UTC. */
function time(name: string): Value {
  return column(name, `(extract(epoch from ${name}) * 1000)::float8`);
}

function text(name: string): Value {
  return column(name, `${name}::text`);
}

/** Sums the amounts of a user or workflow of one type of resource. */
function ofResource(what: "user" | "workflow", amount: string, type: "cpu" | "disk"): Value {
  return column(
    "id_",
    `(select sum(used.${amount})::float8 from __reana.${what}_resource used
      join __reana.resource kind on kind.id_ = used.resource_id
      where used.${what}_id = t.id_ and kind.type_::text = '${type}')`,
  );
}

/** Reads a column about the period of a user's processor time. */
function ofPeriod(name: string, sql: string): Value {
  return column(
    `user_resource.${name}`,
    `(select ${sql} from __reana.user_resource used join __reana.resource kind on kind.id_ = used.resource_id
      where used.user_id = t.id_ and kind.type_::text = 'cpu' limit 1)`,
  );
}

type ValuesOf<Row> = Readonly<Record<keyof Row, Value>>;

const REANA_TABLES = {
  user_: {
    required: ["id_", "email", "created"],
    values: {
      id: text("id_"),
      email: column("email"),
      createdAtMs: time("created"),
      cpuLimitMs: ofResource("user", "quota_limit", "cpu"),
      diskLimitBytes: ofResource("user", "quota_limit", "disk"),
      periodMonths: ofPeriod("quota_period_months", "quota_period_months"),
      periodStartMs: ofPeriod(
        "quota_period_start_at",
        "(extract(epoch from quota_period_start_at) * 1000)::float8",
      ),
    } satisfies ValuesOf<ReanaUser>,
  },
  user_token: {
    required: ["id_", "token", "status", "user_id", "created"],
    values: {
      userId: text("user_id"),
      sealed: column("token", "convert_from(token, 'UTF8')"),
      status: text("status"),
    } satisfies ValuesOf<ReanaToken>,
  },
  workflow: {
    required: ["id_", "name", "status", "owner_id", "reana_specification", "run_number_major", "created"],
    values: {
      id: text("id_"),
      ownerId: text("owner_id"),
      name: column("name"),
      runMajor: column("run_number_major"),
      runMinor: column("run_number_minor"),
      status: text("status"),
      specification: column("reana_specification"),
      inputParameters: column("input_parameters"),
      operationalOptions: column("operational_options"),
      language: column("type_"),
      logs: column("logs"),
      launcherUrl: column("launcher_url"),
      workspacePath: column("workspace_path"),
      progress: column("job_progress"),
      cpuMs: ofResource("workflow", "quota_used", "cpu"),
      createdAtMs: time("created"),
      startedAtMs: time("run_started_at"),
      finishedAtMs: time("run_finished_at"),
      stoppedAtMs: time("run_stopped_at"),
    } satisfies ValuesOf<ReanaWorkflow>,
  },
  job: {
    required: ["id_", "workflow_uuid", "status", "created"],
    values: {
      id: text("id_"),
      workflowId: text("workflow_uuid"),
      status: text("status"),
      name: column("job_name"),
      command: column("prettified_cmd", "coalesce(prettified_cmd, cmd)"),
      image: column("docker_img"),
      computeBackend: column("compute_backend"),
      outsideId: column("backend_job_id"),
      logBytes: column("logs", "octet_length(logs)"),
      createdAtMs: time("created"),
      startedAtMs: time("started_at"),
      finishedAtMs: time("finished_at"),
    } satisfies ValuesOf<ReanaJob>,
  },
  workspace_retention_rule: {
    required: [],
    values: {
      id: text("id_"),
      workflowId: text("workflow_id"),
      pattern: column("workspace_files"),
      days: column("retention_days"),
      status: text("status"),
      applyOnMs: time("apply_on"),
    } satisfies ValuesOf<ReanaRule>,
  },
  user_workflow: {
    required: [],
    values: {
      workflowId: text("workflow_id"),
      userId: text("user_id"),
      message: column("message"),
      validUntilMs: time("valid_until"),
    } satisfies ValuesOf<ReanaShare>,
  },
} satisfies Readonly<Record<string, Table>>;

export type ReanaTable = keyof typeof REANA_TABLES;

/** `table.column` of every column of a database. */
export type Columns = ReadonlySet<string>;

/** Returns the required columns that the database lacks. */
export function missingColumns(present: Columns): string[] {
  return Object.entries<Table>(REANA_TABLES)
    .flatMap(([table, { required }]) => required.map((name) => `${table}.${name}`))
    .filter((name) => !present.has(name));
}

/** Returns the beginning of a query of the table. Undefined if this version of REANA has no such table. */
export function selectFrom(table: ReanaTable, present: Columns): string | undefined {
  const { values } = REANA_TABLES[table];
  const isPresent = (name: string) => present.has(name.includes(".") ? name : `${table}.${name}`);
  if (!Object.values<Value>(values).some((value) => isPresent(value.column))) return undefined;
  const selected = Object.entries<Value>(values).map(
    ([name, value]) => `${isPresent(value.column) ? value.sql : "null"} as "${name}"`,
  );
  return `select ${selected.join(", ")} from __reana.${table} as t`;
}
