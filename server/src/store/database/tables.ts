import type { GroupRole } from "#workflow/people/group-role";
import type { Generated } from "kysely";
import type { RecordedJobStatus } from "#workflow/job/job";
import type { RunDefinitionsTable, RunNotesTable, RunTagsTable } from "#store/database/owner-tables";
import type { EndedNotebooksTable, NotebooksTable } from "#store/database/notebook-tables";
import type {
  DeliveriesTable,
  NotificationsTable,
  ReportSchedulesTable,
} from "#store/database/notification-tables";
import type { ResultTables } from "#store/database/result-tables";
import type { NodeMark } from "#workflow/graph";
import type { Language } from "#workflow/language";
import type { RunStatus } from "#workflow/run/run-status";
import type { SecretType } from "#workflow/people/secret";
import type { IdentitiesTable, TokensTable } from "#store/database/identity-tables";

/** The tables as SQL has them: snake_case, text ids, epoch milliseconds, JSON as text. Only `store/` sees them. */
export interface Tables extends ResultTables {
  migrations: { name: string };
  announcements: AnnouncementsTable;
  users: UsersTable;
  identities: IdentitiesTable;
  tokens: TokensTable;
  workspaces: WorkspacesTable;
  runs: RunsTable;
  run_definitions: RunDefinitionsTable;
  run_notes: RunNotesTable;
  run_tags: RunTagsTable;
  run_counts: RunCountsTable;
  run_events: RunEventsTable;
  run_snapshots: RunSnapshotsTable;
  reruns: RerunsTable;
  verifications: VerificationsTable;
  notebooks: NotebooksTable;
  ended_notebooks: EndedNotebooksTable;
  notifications: NotificationsTable;
  deliveries: DeliveriesTable;
  report_schedules: ReportSchedulesTable;
  jobs: JobsTable;
  job_stamps: JobStampsTable;
  job_contents: JobContentsTable;
  run_nodes: RunNodesTable;
  run_drawings: RunDrawingsTable;
  hosts: HostsTable;
  idempotency_keys: IdempotencyKeysTable;
  secrets: SecretsTable;
  retention_rules: RetentionRulesTable;
  groups: GroupsTable;
  group_members: GroupMembersTable;
  policies: PoliciesTable;
  run_shares: RunSharesTable;
  quotas: QuotasTable;
  usage_days: UsageDaysTable;
}

interface UsersTable {
  id: string;
  email: string;
  /** Lower-cased: a different spelling of an address means the same user. */
  email_key: string;
  is_admin: number;
  disabled_at: number | null;
  /** Set while the user, disabled, waits for the consent of an administrator to the first sign-in by a provider. */
  asked_at: Generated<number | null>;
  /** Set once the user has removed a provider of sign-in. No provider opens the account by its address after that. */
  unlinked_at: Generated<number | null>;
  /** Set while the user's runs are not sent to the other server of `--shadow-of`. */
  unshadowed_at: Generated<number | null>;
  created_at: number;
  /** When the user was deleted. The row is kept, because it owns runs. */
  deleted_at: number | null;
  /** 1 while runs of a deleted user are still to be deleted, else 0. */
  removes_runs: Generated<number>;
}

/** At most one row: the administrator's announcement to all users. */
interface AnnouncementsTable {
  id: string;
  body: string;
  said_at: number;
}

/** Limits of a user. Null for the server's default, 0 for no limit. */
interface QuotasTable {
  user_id: string;
  cpu_limit_ms: number | null;
  disk_limit_bytes: number | null;
  wall_limit_ms: number | null;
  /** Length of the period for counting processor time. Null to count since the user was added. */
  period_months: number | null;
  /** Start of the first period: midnight of a day, UTC. */
  period_start_at: number | null;
}

/** Usage of a user's runs and notebooks ended on a day (days since 1970, UTC). */
interface UsageDaysTable {
  user_id: string;
  day: number;
  cpu_ms: number;
  wall_ms: number;
  runs: number;
}

interface WorkspacesTable {
  id: string;
  owner_id: string;
  created_at: number;
  removed_at: number | null;
}

interface RunsTable {
  /** Position in the order of creation, by which lists are sorted and paged. */
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
  /** The DOI of the publication. Stored with the run, because every record of a run shows the DOI. */
  doi: string | null;
  jobs_total: number;
  jobs_running: number;
  jobs_finished: number;
  jobs_failed: number;
  /** Sentence for the user: which step failed and why. */
  failure: string | null;
  /** Key of the job that caused the failure, if any. */
  failed_job: string | null;
  /** Processor time of all ended jobs of the run, as far as backends could measure it. */
  cpu_ms: Generated<number>;
  /** Processor time of the run's workflow engine, spent on expressions. */
  engine_cpu_ms: Generated<number>;
  created_at: number;
  queued_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  stopped_at: number | null;
  stop_requested_at: number | null;
  /** Time at which a user first changed files of the workspace while the run was live. */
  external_change_at: number | null;
  /** The host that drives the run. `lease_epoch` counts how often the lease has been taken. */
  held_by: string | null;
  lease_epoch: Generated<number>;
  /** Reason for waiting, as a sentence. Null if evident from other columns. */
  waiting_for: string | null;
  /** When the bodies of the run's events were emptied and its snapshot was removed. */
  emptied_at: number | null;
  /** When the files of the ended run were added to the index of origins. */
  indexed_at: number | null;
  /** When a server began to index the run, or added the last part, by the database's clock. */
  index_claimed_at: number | null;
}

/** A maintained total per owner and status, so lists need not count rows. */
interface RunCountsTable {
  owner_id: string;
  status: RunStatus;
  total: number;
}

interface RunEventsTable {
  run_id: string;
  seq: number;
  kind: string;
  body: string;
  /** Log lines of the engine in response to the event. */
  log: string;
  at: number;
}

/** The latest snapshot of each run, from which a replay starts. */
interface RunSnapshotsTable {
  run_id: string;
  /** Number of the last event included. */
  seq: number;
  engine_version: number;
  /** Number of jobs issued so far. Their keys are the keys of the run's first `job_count` jobs. */
  job_count: number;
  state: string;
  outstanding: string;
}

/** A row for each run whose workspace started as a copy of another. */
interface RerunsTable {
  run_id: string;
  workspace_id: string;
  source_workspace_id: string;
  /** JSON: outcome of the source's last run, with the copies' stamps. Null if none ran there, or once files are gone. */
  previous: string | null;
}

interface VerificationsTable {
  run_id: string;
  verified_id: string;
  /** Name of the only step that is repeated. Null for a repetition of the whole run, and for an experiment. */
  step: string | null;
  /** JSON: the step and its conditions. Null for a repetition of the whole run. */
  experiment: string | null;
  /** Relative difference up to which numbers count as equal in the stored verdict. */
  tolerance: number;
  /** JSON: what the comparison of the files has shown. Null until it was computed. */
  verdict: string | null;
}

interface JobsTable {
  id: string;
  run_id: string;
  /** Position among the run's jobs, in order of submission. */
  ordinal: number;
  key: string;
  attempt: number;
  name: string;
  /** Null if equal to the name. */
  label: string | null;
  /** Id of the node of the run's graph. */
  node: string;
  command: string;
  image: string | null;
  /** Digest of the job's image, recorded at the end. */
  image_digest: string | null;
  backend: string;
  status: RecordedJobStatus;
  reason: string | null;
  exit_code: number | null;
  detail: string | null;
  /** The only host on which the job can be observed. Null if the backend is not bound to one. */
  host_id: string | null;
  /** The boot of the machine on which the job was handed out. */
  host_token: string;
  outside_id: string | null;
  queue_reason: string | null;
  /** Set if the job runs, but something is wrong with its place. */
  concern: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** Processor time, as far as the backend could measure it. */
  cpu_ms: number | null;
  /** Number of the run's event that contains the job's end. */
  ended_seq: number | null;
  peak_bytes: number | null;
  /** Time in which the GPUs of the job were busy. Null for a job without GPUs. */
  gpu_ms: number | null;
  gpu_peak_bytes: number | null;
  /** Names of usage values measured at intervals, separated by spaces. Null if all values are exact. */
  sampled: string | null;
  /** The memory limit requested for the job. Null if unlimited. */
  memory_limit_bytes: number | null;
  /** The earlier run's job that did the work. Null for a job run in this run. */
  taken_from: string | null;
  /** JSON: why the job ran again, or did not. Null if there was nothing to decide. */
  decision: string | null;
}

/** A row for each job after which the workspace was scanned. */
interface JobStampsTable {
  job_id: string;
  body: string;
}

/** Finished jobs available to later runs, by the workspace with their files. */
interface JobContentsTable {
  workspace_id: string;
  job_id: string;
  owner_id: string;
  job_key: string;
  contents_key: string;
  body: string;
  created_at: number;
}

/** Maintained totals of the jobs of a node of a run's graph, so that no picture counts rows. */
interface RunNodesTable {
  run_id: string;
  node: string;
  created: number;
  running: number;
  /** Jobs finished by running. */
  finished: number;
  /** Failed attempts not followed by a retry. */
  failed: number;
  stopped: number;
  taken_over: number;
  /** Attempts followed by a retry. */
  retried: number;
  /** The engine's mark on the node. Null if the jobs show its state. */
  mark: NodeMark | null;
}

/** Nodes and edges added to a graph by the engine in one event. */
interface RunDrawingsTable {
  run_id: string;
  seq: number;
  /** JSON. */
  body: string;
}

interface HostsTable {
  id: string;
  name: string;
  /** Time of the last renewal, by the database's clock. */
  seen_at: number;
  declared_lost_at: number | null;
  must_end_jobs: Generated<number>;
  places: Generated<string>;
  /** Identifies the shared folder of the server. */
  shared_id: string | null;
  /** Where the servers of the shared folder reach its server: `10.0.0.5:7071`. */
  address: string | null;
}

/** Stored results of requests with an idempotency key. */
interface IdempotencyKeysTable {
  user_id: string;
  key: string;
  /** Hash of the request. */
  fingerprint: string;
  /** The result, encrypted with the server's key. */
  sealed: string;
  stored_at: number;
}

interface SecretsTable {
  id: string;
  user_id: string;
  name: string;
  type: SecretType;
  /** The value in base64, encrypted with the server's key. */
  sealed: string;
  created_at: number;
  /**
   * Time of removal: jobs no longer receive the value. The row is kept while a log may contain the value, to
   * keep it masked.
   */
  removed_at: number | null;
}

/** A rule's status follows from the status of its run. The columns record only completed work. */
interface RetentionRulesTable {
  id: string;
  run_id: string;
  pattern: string;
  days: number;
  /** The host deleting the files. */
  claimed_by: string | null;
  applied_at: number | null;
}

/** A group of users, with whom runs are shared under one name. */
interface GroupsTable {
  id: string;
  name: string;
  /** The user who maintains the members, besides the administrator. */
  owner_id: string;
  created_at: number;
}

interface GroupMembersTable {
  user_id: string;
  group_id: string;
  role: GroupRole;
  added_at: number;
}

/** The policies of groups. */
interface PoliciesTable {
  /** Empty: everybody. */
  group_id: string;
  /** JSON: a list of patterns. Null if the policy does not limit images. */
  images: string | null;
  cpu_limit_ms: number | null;
  disk_limit_bytes: number | null;
  wall_limit_ms: number | null;
  max_runs: number | null;
  changed_at: number;
}

interface RunSharesTable {
  /** The id of the user or group that may read the run. */
  grantee_id: string;
  run_seq: number;
  /** The owner of the run. */
  owner_id: string;
  /** The owner's words to the readers. */
  message: string | null;
  shared_at: number;
  /** True if the run was deleted: no total of current runs counts it. */
  is_hidden: number;
  /** Time of expiry, exclusive. Null for a share in force until revoked. */
  expires_at: number | null;
}
