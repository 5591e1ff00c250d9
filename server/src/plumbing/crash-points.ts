import { channel } from "node:diagnostics_channel";
import process from "node:process";

/**
 * The moments at which a test may kill the server to check its recovery: after every commit, and around every
 * effect on the outside world. Each text describes the state at the moment.
 */
export const SERVER_CRASH_POINTS = {
  "data-folder-made": "The folders of a server exist, and are not locked yet.",
  "migration-applied": "In a migration: one change of the tables is made, and nothing is committed.",
  "tables-migrated": "The tables are up to date.",
  "secret-written":
    "A file for its owner alone is complete beside its name, which still has the old content.",
  "secret-renamed": "That file has its name.",
  "administrator-made": "There is an administrator with a token, and the token is in no file yet.",
  "incoming-cleared": "Unfinished uploads of an earlier server are removed.",
  listening: "The server listens, and its address is in no file yet.",
  serving: "Live runs are resumed, and the queue is polled.",

  "change-audited": "The entry about a request is in the audit log, before the reply.",
  "user-created": "A new user is committed, before the reply.",
  "token-issued": "A new token is committed, before the reply.",
  "user-invited": "A new user with an invitation is committed, before the reply.",
  "code-redeemed": "A code is used up and its token is committed, before the reply.",
  "token-revoked": "The end of one or all tokens of a user is committed, before the reply.",
  "code-issued": "A new sign-in code is committed, before the reply.",
  "session-opened": "A code is used up and its session is committed, before the reply.",
  "session-closed": "The end of a session is committed, before the reply.",
  "person-recorded": "A person who waits for consent is committed, before the refusal.",
  "person-signed-in": "A sign-in by a provider and its session are committed, before the reply.",
  "device-token-issued": "A sign-in of a device and its token are committed, before the reply.",
  "provider-answered": "The consent to a provider that asks for an account is committed, before the reply.",
  "provider-removed": "The removal of a provider from an account is committed, before the reply.",
  "provider-sessions-ended": "The end of sessions by their provider is committed, before the reply.",
  "check-claimed": "A server has claimed the check of a person, and not asked the provider.",
  "person-followed": "What a provider says of a person in a check is committed.",
  "person-signed-out": "A person who may no longer come in is signed out by a check.",

  "user-disabled": "A disabled user is committed, before the reply.",
  "user-deleted": "The deletion of a user is committed, before the reply. The runs of the user are left.",
  "admin-changed": "A new administrator, or the end of one, is committed, before the reply.",
  "user-enabled": "An enabled user is committed, before the reply.",
  "quota-set": "A limit of a user, or its period, is committed, before the reply.",

  "announcement-set": "A new announcement, or the end of one, is committed, before the reply.",
  "policy-set": "A policy of a group is committed, before the reply.",

  "run-shared": "A new share of a run is committed, before the reply.",
  "run-unshared": "The end of a share is committed, before the reply.",
  "group-created": "A new group is committed, before the reply.",
  "group-deleted": "The deletion of a group is committed, before the reply.",
  "member-added": "A new member of a group is committed, before the reply.",
  "member-removed": "The removal of a member is committed, before the reply.",

  "run-created": "A new run is committed, before the reply.",
  "workspace-reserved": "A workspace that a repository will fill has its row, and no folder.",
  "repository-fetched": "The files of a repository are in the workspace, and no run uses it.",
  "workspace-emptied": "The files of a workspace that no run uses are removed, before its row.",
  "workspace-forgotten": "The row of a workspace that no run uses is removed.",

  "workspace-made": "The folder of a workspace exists.",
  "upload-received": "A file is complete in the folder for incoming files.",
  "upload-published": "That file has its name in the workspace.",

  "start-recorded": "A start is committed, before the reply and before the scheduler is woken.",
  "restart-recorded": "A run that shares a workspace is committed and queued, before the reply.",
  "workspace-copied": "The files for a run with its own workspace are copied, and no run uses them.",
  "rerun-recorded": "That run is committed and queued, before the reply.",
  "stop-recorded": "The request to stop a run is committed, and no job has been ended.",
  "delete-recorded": "A run is marked as deleted, and all of its files are left.",
  "attempt-removed": "The attempts of one job of a deleted run are removed.",
  "attempts-removed": "The attempts of all jobs of a deleted run are removed, before its files.",
  "workspace-hidden": "The files of a deleted run are moved out of sight.",
  "workspace-removed": "The files of a deleted run are removed, which is not recorded.",
  "removal-recorded": "The removal of a deleted run's files is recorded.",

  "input-asked": "An address has answered a run that fetches its inputs, and nothing is stored.",
  "input-received": "One of the inputs is complete in the store, and not under its digest yet.",
  "input-stored": "One of the inputs is stored under its digest, and its address does not know it.",
  "inputs-fetched": "All inputs of a run are in the store, and none in the workspace.",
  "input-placed": "One of the inputs is in the workspace.",
  "output-uploaded": "One of the outputs of a run is at its destination.",
  "outputs-uploaded": "All outputs of a run are at their destination, and the manifest is not.",
  "manifest-uploaded": "The manifest of published outputs is at the destination, which is not recorded.",
  "publication-recorded": "The publication of the outputs of an ended run is recorded.",
  "inputs-placed": "All inputs of a run are in the workspace, which is not recorded.",

  "index-claimed": "A server has claimed an ended run for the index of origins, and read nothing yet.",
  "index-written": "Some files of an ended run are in the index of origins.",
  "run-indexed": "All files of an ended run are in the index of origins.",

  "notebook-recorded": "An open notebook is committed, and no job has been ordered.",
  "notebook-submitted": "The job of a notebook is ordered, before the reply.",
  "notebook-closing": "The end of a notebook is committed, and its job runs.",
  "notebook-counted": "The end of a notebook and its processor time are recorded, and its attempt is left.",
  "notebook-ended": "The job of a notebook has ended and its attempt is removed, which is not recorded.",

  "notification-added": "A new notification is committed, before the reply.",
  "notification-removed": "The removal of a notification is committed, before the reply.",
  "notification-claimed": "A notification is claimed for the next attempt, and no message is sent.",
  "message-sent": "A message is accepted or refused by its receiver, which is not recorded.",
  "delivery-recorded": "The outcome of an attempt to deliver a message is recorded.",

  "secrets-added": "New secrets are committed, before the reply.",
  "secrets-deleted": "The removal of secrets is committed, before the reply.",
  "job-secrets-written": "The secrets of a job are on the disk, and no shell has been told to run it.",
  "job-secrets-removed": "The secrets of an ended job are removed from the disk, before its end is reported.",

  "file-pruned": "One of the files to prune from a workspace is deleted.",
  "workspace-pruned": "All files to prune are deleted, before the reply.",
  "rule-claimed": "A due retention rule is claimed by this host, and nothing is deleted.",
  "rule-carried-out": "The files of a retention rule are deleted, which is not recorded.",
  "retention-extended": "New days of the retention rules of a run are committed, before the reply.",
  "rule-applied": "A retention rule is recorded as applied.",
  "events-emptied": "Some or all events of an old run are emptied, and its snapshot is left.",
  "snapshot-removed": "All events of an old run are emptied, its snapshot is removed, and this is recorded.",

  "host-registered": "This host has its row, and has read nothing.",
  "host-renewed": "This host has renewed its row.",
  "host-declared-lost": "A host is declared lost. The change is committed, and the reply is not sent yet.",
  "given-up-jobs-ended": "The jobs of this host that were given up are ended. This is not recorded.",
  "turn-recorded": "A queued run is admitted, and no driver exists.",
  "lease-taken": "The lease of an earlier server's run is taken, and no driver exists.",
  "host-signed-off": "This host has announced that it stops.",
  "scheduler-closed": "The scheduler has released all runs; their jobs continue.",

  "run-replayed": "The recorded events of a run are applied again, and no job is submitted.",
  "engine-asked": "The engine has handled events, and nothing is recorded.",
  "beginning-recorded": "A run is recorded as running with its first jobs, and none is submitted.",
  "events-recorded": "Events of a run are recorded, and their instructions are not carried out.",
  "take-over-recorded":
    "The jobs that a restart takes over are recorded, and the first job that runs is not submitted.",
  "retry-recorded":
    "The end of an attempt is recorded together with the next attempt, which is not submitted.",
  "snapshot-recorded": "The same, together with a snapshot.",
  "jobs-admitted": "Jobs that waited for capacity are recorded as admitted, and not submitted.",
  "jobs-cancelled": "All jobs of a run are ended and proved gone, which is not recorded.",
  "leftovers-ended":
    "Background processes of a run's jobs are ended, and the end of the run is not recorded.",
  "results-collected": "The outputs of a run are hashed, and neither they nor its end are recorded.",
  "unread-recorded":
    "The removal of files that no later job of a live run reads is recorded, and none is removed.",
  "unread-removed": "Files that no later job of a live run reads are removed.",
  "intermediates-removed":
    "The intermediate files of a finished run are removed, and its end is not recorded.",
  "end-recorded": "The end of a run is recorded.",
  "stage-prepared": "The files of a job are prepared beside its workspace, and not ready to be placed.",
  "stage-ready": "The files of a job are ready, and none is in its place.",
  "stage-tree-placed": "One more tree of the files of a job is in its place.",
  "stage-placed": "All files of a job are in their places, and the job is not handed to the backend.",
  "stage-forgotten": "The record that the files of a job were placed is removed, after its recorded end.",
  "job-submitted": "A job is submitted to the backend.",
  "job-noted": "What a job waits for, or its name in the place where it runs, is recorded.",
  "end-heard": "A job's end has arrived, and is not recorded.",
  "documents-collected": "The documents that a run is made of are read, and its start is not recorded.",
  "job-collected": "What an engine asked of the files of an ended job is known, and not recorded.",
  "files-asked": "A file request of an engine is about to be carried out.",
  "lines-heard": "Lines that a job appended for its engine are read, which is not recorded.",
  "lines-told": "Lines of an engine are appended for a job to read, which is not recorded.",
  "literals-written": "The files that an engine requested are written, which is not recorded.",
  "outputs-published": "The outputs of a run are published, which is not recorded.",

  "attempt-made": "The folder of an attempt exists, and is empty.",
  "order-sent": "A slot has been told to supervise an attempt.",
  "claim-seen": "A supervisor started by an earlier server is found alive.",
  "exit-seen": "The end of a job is read from its record, and not reported.",
  "claim-taken": "The claim of an attempt is taken, so that no supervisor can take it.",
  "cancel-marked": "A running job is marked as cancelled.",
  "job-signalled": "A job to be ended was sent a signal, and is not proved gone.",
  "job-gone": "All processes of a job to be ended are gone, and its end is not written.",
  "exit-written": "The end of a job whose supervisor could not write it is written.",
  "damage-recorded": "A new record has replaced one that a job damaged, and the end is not reported.",
} as const;

/** Crash points of `reprise backup` and `reprise restore`, with separate tests. */
export const BACKUP_CRASH_POINTS = {
  "backup-begun": "The folder of a backup exists under its temporary name, and is empty.",
  "backup-rows-copied": "All rows are copied, and no file.",
  "backup-files-copied": "All files are copied, and not verified; there is no manifest.",
  "backup-whole": "The manifest is written, and the backup has its temporary name.",
  "backup-published": "The backup has its name.",

  "restore-begun": "The folder in which a backup is unpacked exists, and is empty.",
  "restore-files-laid-out": "All files are unpacked, and the database is empty.",
  "restore-database-filled": "The database is filled, and nothing is in its place.",
  "restore-moved": "One more part of a data folder is in its place.",
  "restore-published": "All parts are in their places.",
} as const;

/** Crash points of `reprise admin change-key`. */
export const KEY_CRASH_POINTS = {
  "values-sealed-again":
    "All stored values are sealed with the next key, and the present key still has its name.",
  "key-replaced": "The next key has the name of the present one.",
} as const;

/** Crash points of the status report that a server mails by itself. */
export const REPORT_CRASH_POINTS = {
  "report-claimed": "A server has claimed the report that is due, and sent nothing.",
  "report-mailed": "The report has reached an administrator, which is not recorded.",
} as const;

/** Crash points of `reprise import-reana`. */
export const IMPORT_CRASH_POINTS = {
  "reana-user-imported": "A user of REANA is committed with tokens and limits.",
  "reana-files-imported": "The files and logs of a run of REANA are copied, and its rows are missing.",
  "reana-run-imported": "A run of REANA is committed.",
} as const;

/** Crash points of the publication of a run, in their order. */
export const PUBLICATION_CRASH_POINTS = {
  "publication-asked": "The request to publish a run is committed, before the reply.",
  "publication-claimed": "A server has claimed a publication, and sent nothing.",
  "draft-announced": "It is recorded that a draft is about to be made, and none is made.",
  "draft-made": "A draft is made on the other server, which is not recorded.",
  "draft-recorded": "The id of the draft is recorded, and no DOI is reserved.",
  "doi-reserved": "A DOI is reserved for the draft, which is not recorded.",
  "doi-recorded": "The DOI of a draft is recorded.",
  "deposit-written": "The crate with the DOI is complete in a file, which is not recorded.",
  "deposit-recorded": "The checksum of the crate is recorded, and nothing is uploaded.",
  "deposit-uploaded": "The crate is complete on the other server, which is not recorded.",
  "draft-completed": "The upload is recorded, and the draft is not published.",
  "draft-published": "The draft is published, which is not recorded.",
} as const;

export const CRASH_POINTS = {
  ...SERVER_CRASH_POINTS,
  ...BACKUP_CRASH_POINTS,
  ...KEY_CRASH_POINTS,
  ...REPORT_CRASH_POINTS,
  ...IMPORT_CRASH_POINTS,
  ...PUBLICATION_CRASH_POINTS,
};

export type CrashPoint = keyof typeof CRASH_POINTS;

/** Node's own channel for events of a program; nearly free without a subscriber. */
const passed = channel("reprise:crash-point");

/** Marks a point at which a test may kill this process. */
export function crashPoint(name: CrashPoint): void {
  if (passed.hasSubscribers) passed.publish(name);
}

/** Kills this process by SIGKILL when it reaches a point for the given time: the third for `CRASH_AT=run-created:3`. */
export function armCrashPoint(environment: Readonly<Record<string, string | undefined>>): void {
  const wanted = environment["CRASH_AT"];
  if (wanted === undefined || wanted === "") return;
  const [, name, count] = /^([a-z-]+):([1-9]\d*)$/.exec(wanted) ?? [];
  if (name === undefined || !Object.hasOwn(CRASH_POINTS, name)) throw new CrashPointError(wanted);
  let left = Number(count);
  passed.subscribe((point) => {
    if (point === name) left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  });
}

/** Reports a `CRASH_AT` with an unknown name: a test that never kills the process would prove nothing. */
class CrashPointError extends Error {
  constructor(wanted: string) {
    super(
      `CRASH_AT is ${JSON.stringify(wanted)}: it must be a point and a count, such as run-created:1. ` +
        `The points: ${Object.keys(CRASH_POINTS).join(", ")}.`,
    );
    this.name = "CrashPointError";
  }
}
