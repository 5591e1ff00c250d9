import type { Generated } from "kysely";
import type { JobStatus } from "#workflow/job";
import type { Language } from "#workflow/language";
import type { RunStatus } from "#workflow/run-status";
import type { SecretType } from "#workflow/secret";

/** The tables as SQL has them: snake_case, text ids, epoch milliseconds, JSON as text. Only `store/` sees these names. */
export interface Tables {
  migrations: { name: string };
  users: UsersTable;
  tokens: TokensTable;
  workspaces: WorkspacesTable;
  workflows: WorkflowsTable;
  workflow_definitions: WorkflowDefinitionsTable;
  workflow_counts: WorkflowCountsTable;
  run_events: RunEventsTable;
  run_snapshots: RunSnapshotsTable;
  run_outputs: RunOutputsTable;
  run_results: RunResultsTable;
  reruns: RerunsTable;
  jobs: JobsTable;
  job_traces: JobTracesTable;
  hosts: HostsTable;
  kept_answers: KeptAnswersTable;
  secrets: SecretsTable;
  retention_rules: RetentionRulesTable;
}

interface UsersTable {
  id: string;
  email: string;
  /** Lower-cased: two spellings of one address are one user. */
  email_key: string;
  is_admin: number;
  disabled_at: number | null;
  created_at: number;
}

interface TokensTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token, hex: what a request is looked up by. */
  hash: string;
  /** The token itself, encrypted with the server's key, because the administrator's list has to show it. */
  sealed: string;
  created_at: number;
  revoked_at: number | null;
}

interface WorkspacesTable {
  id: string;
  owner_id: string;
  created_at: number;
  removed_at: number | null;
}

interface WorkflowsTable {
  /** In the order of creation; what lists are sorted and paged by. */
  seq: Generated<number>;
  id: string;
  owner_id: string;
  workspace_id: string;
  name: string;
  run_major: number;
  run_minor: number;
  status: RunStatus;
  language: Language;
  launcher_url: string | null;
  jobs_total: number;
  jobs_running: number;
  jobs_finished: number;
  jobs_failed: number;
  /** One sentence for a person: which step failed and why. */
  failure: string | null;
  /** The key of the job that the failure came from, where there is one. */
  failed_job: string | null;
  /** Processor time of all its jobs that have ended, as far as backends could tell. */
  cpu_ms: Generated<number>;
  created_at: number;
  queued_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  stopped_at: number | null;
  stop_requested_at: number | null;
  /** When somebody first changed files of its workspace while it went on. */
  disturbed_at: number | null;
  /** The host that drives the run, and how often that right has been taken. */
  held_by: string | null;
  lease_epoch: Generated<number>;
  /** Why it does not go on for the moment, in a sentence; what can be worked out from other columns is not kept. */
  waiting_for: string | null;
}

/** Apart from its workflow, which is written again with every change of a status or a counter, and read by the page. */
interface WorkflowDefinitionsTable {
  workflow_seq: number;
  specification: string;
  input_parameters: string;
  operational_options: string;
  /** What a restart was asked with; null for a run that is none. */
  restart: string | null;
  /** The server's default when the run was started; null where that was never. */
  retries: string | null;
}

/** A maintained total per owner and status, so that no list counts rows. */
interface WorkflowCountsTable {
  owner_id: string;
  status: RunStatus;
  total: number;
}

interface RunEventsTable {
  workflow_id: string;
  seq: number;
  kind: string;
  body: string;
  /** What the engine logged in answer to this event. */
  log: string;
  at: number;
}

/** One for each run, replaced by the next: where a replay begins. */
interface RunSnapshotsTable {
  workflow_id: string;
  /** The last event that is in it. */
  seq: number;
  engine_version: number;
  /** How many jobs had been issued: their keys are those of the run's first so many jobs. */
  job_count: number;
  body: string;
}

interface RunOutputsTable {
  workflow_id: string;
  outputs: string;
}

/** One row for each run with declared outputs, and for each that came later in its workspace. */
interface RunResultsTable {
  workflow_id: string;
  /** JSON: `Results`. */
  body: string;
}

/** One row for each run whose workspace began as a copy of another. */
interface RerunsTable {
  workflow_id: string;
  workspace_id: string;
  source_workspace_id: string;
  /** JSON: what the last run there did, with the stamps of the copies. Null if none ran there, or the files are gone. */
  previous: string | null;
}

interface JobsTable {
  id: string;
  workflow_id: string;
  /** Position among the run's jobs, in the order in which they were submitted. */
  ordinal: number;
  key: string;
  attempt: number;
  name: string;
  command: string;
  image: string | null;
  backend: string;
  status: JobStatus;
  reason: string | null;
  exit_code: number | null;
  detail: string | null;
  /** The host on which alone the job can be seen; null when it runs somewhere else. */
  host_id: string | null;
  /** The boot of the machine on which the job was handed out. */
  boot_id: string;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** What it has used, as far as its backend could tell. */
  cpu_ms: number | null;
  /** The number of the run's event that holds its end. */
  ended_seq: number | null;
  peak_bytes: number | null;
  /** The job of an earlier run that did its work; null for one that ran itself. */
  taken_from: string | null;
}

/** One row for each job after which the workspace was looked at. */
interface JobTracesTable {
  job_id: string;
  body: string;
}

interface HostsTable {
  id: string;
  name: string;
  /** By the database's time. */
  seen_at: number;
  declared_lost_at: number | null;
}

/** What was answered to a change that came with a key. */
interface KeptAnswersTable {
  user_id: string;
  key: string;
  /** A hash of what was asked. */
  fingerprint: string;
  /** The answer, encrypted with the server's key. */
  sealed: string;
  kept_at: number;
}

interface SecretsTable {
  id: string;
  user_id: string;
  name: string;
  type: SecretType;
  /** Its base64, encrypted with the server's key. */
  sealed: string;
  created_at: number;
  /** Jobs no longer get it; it is kept as long as a log may hold it, so that it stays masked there. */
  removed_at: number | null;
}

/** Its status follows from the run's: only what is done with it is written. */
interface RetentionRulesTable {
  id: string;
  workflow_id: string;
  pattern: string;
  days: number;
  /** The host that is deleting the files. */
  claimed_by: string | null;
  applied_at: number | null;
}
