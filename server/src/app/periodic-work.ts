import type { ServerParts } from "#app/server-parts";
import type { Notebooks } from "#notebooks/notebooks";
import type { Outbox } from "#notifications/outbox";
import type { Operations } from "#operations/operations";
import { retryRemovals } from "#operations/files/remove-workspace";
import { createRetention } from "#operations/files/retention";
import { repeatedly } from "#scheduler/repeatedly";
import { Publisher } from "#operations/reports/publication/publisher";
import { shortageSentence } from "#operations/service/disk-shortage";
import { createScheduledReport } from "#operations/runs/scheduled-report";
import { createEventSweep, createRunSweep } from "#operations/runs/old-runs";
import type { DeleteContext } from "#operations/runs/delete-run";
import { createRecheck } from "#operations/users/recheck-people";
import { createShadowRound } from "#operations/runs/shadows/shadow-round";
import { createErasure } from "#operations/runs/delete-user";
import { checkConnection } from "#store/database/database";
import { forgetHosts } from "#store/hosts/forgotten-hosts";

const OUTAGE_LOOK_INTERVAL_MS = 2000;

/**
 * Checks the disk, and whether an earlier outage has ended, until the returned function is called. Logs each time when
 * the disk becomes short of space, and when it has enough again.
 */
export function lookForOutages({
  clock,
  disk,
  db,
  log,
}: Pick<ServerParts, "clock" | "disk" | "db" | "log">): () => Promise<void> {
  disk.onChange((shortage) => {
    if (shortage) log.warn({ shortage }, shortageSentence(shortage));
    else log.info({}, "There is enough free disk space again: jobs start.");
  });
  return repeatedly({
    clock,
    everyMs: OUTAGE_LOOK_INTERVAL_MS,
    async work() {
      await disk.look();
      if (!disk.shortage()?.isFull) log.over("disk");
      if (!log.isUnderWay("database")) return;
      await checkConnection(db);
      log.over("database");
    },
    onFailure: (error) => log.error({ err: error }, "The free disk space could not be read; trying again."),
  });
}

/** Interval between two checks for due retention rules. Rules are counted in days. */
const RETENTION_INTERVAL_MS = 10_000;

/** Applies retention rules when they are due, until the returned function is called. */
export function applyRetention(
  parts: Pick<ServerParts, "clock" | "db" | "workspaces" | "host" | "log">,
): () => Promise<void> {
  return repeatedly({
    clock: parts.clock,
    everyMs: RETENTION_INTERVAL_MS,
    work: createRetention(parts, parts.host.id),
    onFailure: (error) => parts.log.error({ err: error }, "Applying retention rules failed; trying again."),
  });
}

/** Longest interval between two sweeps, each of which takes some of the old runs. */
const OLD_RUNS_INTERVAL_MS = 10_000;

/** Deletes old runs, and empties the events of old runs, as `keep` says, until the returned function is called. */
export function sweepOldRuns(
  { clock, log, runSettings: { keep } = {} }: Pick<ServerParts, "clock" | "log" | "runSettings">,
  operations: DeleteContext,
): () => Promise<void> {
  const sweep = (
    keepMs: number | undefined,
    create: (context: DeleteContext, keepMs: number) => () => Promise<unknown>,
    failed: string,
  ) =>
    keepMs === undefined
      ? async () => {}
      : repeatedly({
          clock,
          everyMs: Math.min(OLD_RUNS_INTERVAL_MS, keepMs),
          work: create(operations, keepMs),
          onFailure: (error) => log.error({ err: error }, failed),
        });
  const stops = [
    sweep(keep?.runsMs, createRunSweep, "Deleting an old run failed; the next start removes what is left."),
    sweep(keep?.eventsMs, createEventSweep, "Emptying the events of old runs failed; trying again."),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

const NOTEBOOK_INTERVAL_MS = 10_000;

/** Resumes the notebooks of an earlier server, and closes idle ones, until the returned function is called. */
export function lookAfterNotebooks(
  { clock, log }: Pick<ServerParts, "clock" | "log">,
  notebooks: Notebooks,
): () => Promise<void> {
  return repeatedly({
    clock,
    everyMs: NOTEBOOK_INTERVAL_MS,
    work: () => notebooks.look(),
    onFailure: (error) => log.error({ err: error }, "Looking after the notebooks failed; trying again."),
  });
}

const OUTBOX_INTERVAL_MS = 2000;

/** Sends messages about runs, if the server has settings for them, until the returned function is called. */
export function sendMessages(
  { clock, notifications }: Pick<ServerParts, "clock" | "notifications">,
  outbox: Outbox,
): () => Promise<void> {
  if (!notifications) return () => outbox.stop();
  const stopLooking = repeatedly({
    clock,
    everyMs: OUTBOX_INTERVAL_MS,
    work: () => outbox.look(),
    onFailure: () => undefined,
  });
  return async () => {
    await stopLooking();
    await outbox.stop();
  };
}

/** Interval between two looks at the schedule of reports. */
const REPORT_INTERVAL_MS = 60_000;

/** Sends the status report when it is due, if it is scheduled, until the returned function is called. */
export function sendReports(
  { clock, log, scheduledReport }: Pick<ServerParts, "clock" | "log" | "scheduledReport">,
  operations: Operations,
): () => Promise<void> {
  if (!scheduledReport) return async () => {};
  return repeatedly({
    clock,
    everyMs: REPORT_INTERVAL_MS,
    work: createScheduledReport(operations, scheduledReport),
    onFailure: (error) => log.error({ err: error }, "The scheduled report did not reach all administrators."),
  });
}

/** Interval between two looks for people whom a provider is due to be asked about. */
const RECHECK_INTERVAL_MS = 30_000;

/** Asks the providers of sign-in about people who are signed in, if the settings say so, until the returned function is called. */
export function recheckPeople(
  { clock, log }: Pick<ServerParts, "clock" | "log">,
  operations: Operations,
): () => Promise<void> {
  if (operations.signInProviders.every(({ rules }) => rules.recheckMs === undefined)) return async () => {};
  return repeatedly({
    clock,
    everyMs: RECHECK_INTERVAL_MS,
    work: createRecheck(operations),
    onFailure: (error) =>
      log.error({ err: error }, "A provider of sign-in could not be asked; trying again."),
  });
}

const SHADOW_INTERVAL_MS = 2000;

/** Sends runs to the server of `--shadow-of` and compares them, if it is set, until the returned function is called. */
export function shadowRuns(
  { clock, log, shadowOf }: Pick<ServerParts, "clock" | "log" | "shadowOf">,
  operations: Operations,
): () => Promise<void> {
  if (shadowOf === undefined) return async () => {};
  const stopping = new AbortController();
  const stopLooking = repeatedly({
    clock,
    everyMs: SHADOW_INTERVAL_MS,
    work: createShadowRound(operations, shadowOf, stopping.signal),
    onFailure: (error) =>
      log.error({ err: error }, "A run could not be compared with its copy; trying again."),
  });
  return async () => {
    stopping.abort();
    await stopLooking();
  };
}

const PUBLICATION_INTERVAL_MS = 2000;

/** Publishes runs as their users have asked, until the returned function is called. */
export function publishRuns(
  { clock, log, host }: Pick<ServerParts, "clock" | "log" | "host">,
  operations: Operations,
): () => Promise<void> {
  const publisher = new Publisher({ ...operations, log, hostId: host.id });
  const stopLooking = repeatedly({
    clock,
    everyMs: PUBLICATION_INTERVAL_MS,
    work: () => publisher.look(),
    onFailure: (error) => log.error({ err: error }, "Due publications could not be read; trying again."),
  });
  return async () => {
    await stopLooking();
    await publisher.stop();
  };
}

const REMOVAL_INTERVAL_MS = 10_000;

/**
 * Deletes the runs of deleted users, and tries again to remove files of deleted runs that could not be removed, until the
 * returned function is called.
 */
export function finishDeletions(
  { clock, log }: Pick<ServerParts, "clock" | "log">,
  operations: DeleteContext,
): () => Promise<void> {
  const eraseRuns = createErasure(operations);
  return repeatedly({
    clock,
    everyMs: REMOVAL_INTERVAL_MS,
    async work() {
      await retryRemovals(operations);
      await eraseRuns();
    },
    onFailure: (error) =>
      log.error({ err: error }, "The files of a deleted run could not be removed; trying again."),
  });
}

/** Interval between two looks for hosts that have left. A look may read all jobs of a host. */
const HOSTS_INTERVAL_MS = 10 * 60_000;

/** Forgets left hosts of the shared folder without runs and logs, until the returned function is called. */
export function forgetLeftHosts({
  clock,
  log,
  db,
  host: { sharedId },
}: Pick<ServerParts, "clock" | "log" | "db" | "host">): () => Promise<void> {
  if (!sharedId) return async () => {};
  return repeatedly({
    clock,
    everyMs: HOSTS_INTERVAL_MS,
    async work() {
      const hosts = await forgetHosts(db, sharedId);
      if (hosts > 0) log.info({ hosts }, "Hosts that have left and hold nothing were forgotten.");
    },
    onFailure: (error) =>
      log.error({ err: error }, "Hosts that have left could not be forgotten; trying again."),
  });
}

/** Interval between two looks for ended runs that are not in the index of origins. */
const INDEX_INTERVAL_MS = 2000;

/** Adds the files of ended runs to the index of origins, until the returned function is called. */
export function indexFiles(
  { clock, log }: Pick<ServerParts, "clock" | "log">,
  { fileIndex }: Pick<Operations, "fileIndex">,
): () => Promise<void> {
  const stopLooking = repeatedly({
    clock,
    everyMs: INDEX_INTERVAL_MS,
    work: () => fileIndex.look(),
    onFailure,
  });
  return () => fileIndex.close(stopLooking()).catch(onFailure);

  function onFailure(error: unknown): void {
    log.error({ err: error }, "The files of an ended run could not be indexed; trying again.");
  }
}
