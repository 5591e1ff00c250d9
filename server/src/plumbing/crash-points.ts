import { channel } from "node:diagnostics_channel";
import process from "node:process";

/**
 * The moments at which a test may kill the server, to look at what it leaves behind: one after every commit, and one
 * around every effect on the outside world. The texts say where each one is.
 */
export const SERVER_CRASH_POINTS = {
  "data-folder-made": "The folders of a server are there, and not locked yet.",
  "migration-applied":
    "In the transaction of an update: one change of the tables is made, nothing is committed.",
  "tables-migrated": "The tables are up to date.",
  "secret-written": "A file for its owner alone is whole beside its name, which has its old content.",
  "secret-renamed": "That file stands under its name.",
  "administrator-made": "There is an administrator with a token, which is in no file yet.",
  "incoming-cleared": "What an earlier server was still receiving is removed.",
  listening: "The port answers, and the server's address is in no file yet.",
  serving: "Live runs are taken up, the queue is looked at.",

  "user-created": "A new user is committed, and not answered.",
  "token-issued": "A new token is committed, and not answered.",
  "user-disabled": "A user is locked out.",
  "user-enabled": "A user is let in again.",

  "run-created": "A new run is committed, and not answered.",
  "workspace-reserved": "A workspace that a repository will fill has its row, and no folder.",
  "repository-fetched": "The files of a repository lie in the workspace, and no run has it.",
  "workspace-emptied": "The files of a workspace that no run came to use are removed, its row is there.",
  "workspace-forgotten": "The row of a workspace that no run came to use is removed.",

  "workspace-made": "The folder of a workspace is there.",
  "upload-received": "A file is whole in the folder for incoming ones.",
  "upload-published": "That file stands under its name in the workspace.",

  "start-recorded": "A start is committed, and neither answered nor told to the scheduler.",
  "restart-recorded": "A run that shares a workspace is committed and queued, and not answered.",
  "workspace-copied": "The files for a run with a workspace of its own are copied, and no run has them.",
  "rerun-recorded": "That run is committed and queued, and not answered.",
  "stop-recorded": "The wish to stop a run is committed, and nothing is ended.",
  "delete-recorded": "A run is marked as deleted, its files are all there.",
  "attempt-removed": "What was kept of one job of a deleted run is removed.",
  "attempts-removed": "What was kept of the jobs of a deleted run is removed, its files are there.",
  "workspace-hidden": "The files of a deleted run are moved out of sight.",
  "workspace-removed": "The files of a deleted run are gone, and not marked as gone.",
  "removal-recorded": "The files of a deleted run are marked as gone.",

  "secrets-added": "Secrets are committed, and not answered.",
  "secrets-deleted": "That no job gets these secrets any more is committed, and not answered.",
  "job-secrets-written": "The secrets of a job lie on the disk, and no shell was told to run it.",
  "job-secrets-removed": "The secrets of a job that is over are gone from the disk, its end is not told.",

  "file-pruned": "One of the files that are to go from a workspace is gone.",
  "workspace-pruned": "All that a prune was to delete is gone, and not answered.",
  "rule-claimed": "A retention rule whose time has come is this host's, and nothing is deleted.",
  "rule-carried-out": "What a retention rule means is deleted, which is not recorded.",
  "rule-applied": "That a retention rule was applied is recorded.",

  "host-registered": "This host is known to the database, and has looked at nothing.",
  "host-renewed": "This host has shown that it is still there.",
  "turn-recorded": "A queued run was given its turn, and nobody drives it.",
  "lease-taken": "A run that an earlier server left is this one's, and nobody drives it.",
  "host-signed-off": "This host has said that it goes away.",
  "scheduler-closed": "The scheduler has released all runs; their jobs continue.",

  "run-replayed": "The recorded events of a run are applied again, nothing is handed out.",
  "engine-asked": "The engine has handled what happened, and nothing is recorded.",
  "beginning-recorded": "A run is recorded as running with its first jobs, none is handed out.",
  "events-recorded": "What happened in a run is recorded, nothing that follows from it is carried out.",
  "take-over-recorded": "What a restart takes over is recorded, the first job that runs is not handed out.",
  "retry-recorded": "The end of an attempt is recorded together with the next one, which is not handed out.",
  "snapshot-recorded": "The same, together with a snapshot.",
  "jobs-admitted": "Jobs that waited for a place have one, which is recorded; they are not handed out.",
  "jobs-cancelled": "All jobs of a run are ended and proven gone, which is not recorded.",
  "leftovers-ended":
    "What the jobs of a run left in the background is ended, the end of the run is not recorded.",
  "results-collected": "The outputs of a run are hashed, neither they nor its end are recorded.",
  "end-recorded": "The end of a run is recorded.",
  "job-submitted": "A job was handed to the backend.",
  "end-heard": "A job's end was heard of, and is not recorded.",
  "files-asked": "What an engine asks of files is about to be looked at.",
  "literals-written": "The files that an engine asked for are written, which is not recorded.",
  "outputs-published": "The outputs of a run are copied to their places, which is not recorded.",

  "attempt-made": "The folder of an attempt is there, and empty.",
  "order-sent": "A shell that runs jobs was told to be the supervisor of an attempt.",
  "claim-seen": "A supervisor that an earlier server started is found alive.",
  "exit-seen": "The end of a job was read in its record, and nobody told.",
  "claim-taken": "The claim of an attempt was taken so that no supervisor can.",
  "cancel-marked": "A job is marked as cancelled, and runs.",
  "job-signalled": "A job that is to end was sent a signal, and is not proven gone.",
  "job-gone": "Nothing is left of a job that was ended, and its end is not written.",
  "exit-written": "The end of a job that no supervisor could write is written.",
  "damage-recorded": "A new record has replaced one that a job damaged, and the end is not reported.",
} as const;

/** The same for `reprise backup` and `reprise restore`, which have tests of their own. */
export const BACKUP_CRASH_POINTS = {
  "backup-begun": "The folder of a backup is there under its passing name, and empty.",
  "backup-rows-copied": "All rows are copied, and no file.",
  "backup-files-copied": "All files are copied, and not read back; there is no manifest.",
  "backup-whole": "The manifest is written, and the backup has its passing name.",
  "backup-published": "The backup stands under its name.",

  "restore-begun": "The folder in which a backup is laid out is there, and empty.",
  "restore-files-laid-out": "All files are laid out, and the database is empty.",
  "restore-database-filled": "The database is filled, and nothing is in its place.",
  "restore-moved": "One more part of a data folder is in its place.",
  "restore-published": "All parts are in their places.",
} as const;

export const CRASH_POINTS = { ...SERVER_CRASH_POINTS, ...BACKUP_CRASH_POINTS };

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

/** Reports a `CRASH_AT` that names no point: a test that means to kill and does not would prove nothing. */
class CrashPointError extends Error {
  constructor(wanted: string) {
    super(
      `CRASH_AT is ${JSON.stringify(wanted)}: it must be a point and a count, such as run-created:1. ` +
        `The points: ${Object.keys(CRASH_POINTS).join(", ")}.`,
    );
    this.name = "CrashPointError";
  }
}
