import {
  applyRetention,
  finishDeletions,
  forgetLeftHosts,
  indexFiles,
  lookAfterNotebooks,
  lookForOutages,
  sendMessages,
  publishRuns,
  recheckPeople,
  sendReports,
  shadowRuns,
  sweepOldRuns,
} from "#app/periodic-work";
import { filesOfJobs, jobLogsOf, jobLogsOfAllHosts, lostJobsOf } from "#app/jobs/job-logs";
import { hostedEngines, type RunnableEngine, type ServerParts } from "#app/server-parts";
import { backendsOf } from "#backends/backends";
import { DaskDashboards } from "#notebooks/dask-dashboards";
import { Notebooks, type NotebooksContext } from "#notebooks/notebooks";
import { Outbox } from "#notifications/outbox";
import type { Operations } from "#operations/operations";
import { openQuotas } from "#operations/quota/quotas";
import { maybeImageRefusal } from "#operations/runs/image-refusal";
import { JobEndCounts } from "#operations/service/job-end-counts";
import { maybeGitlabToken } from "#operations/users/gitlab-token";
import { finishRemovals } from "#operations/files/finish-removals";
import { cachingLogTails } from "#operations/watch/logs/log-tail-cache";
import { JobStateCache } from "#operations/watch/progress/job-state-cache";
import { RunGraphs } from "#operations/watch/progress/run-graphs";
import { FileIndex } from "#operations/watch/origin/file-index";
import { createWatching } from "#operations/watch/follow/watching";
import { crashPoint } from "#plumbing/crash-points";
import { createBackendGates } from "#runner/jobs/backend-gates";
import { cpuMsOfRunningJobs } from "#runner/jobs/cpu-so-far";
import { createGivenUpJobs } from "#runner/jobs/given-up-jobs";
import { SideJobs } from "#runner/jobs/side-jobs";
import { LatePublications } from "#runner/outputs/late-publications";
import { openUserSecrets } from "#runner/jobs/user-secrets";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { workspaceStates } from "#store/workspaces/workspace-states";
import { releaseRules } from "#store/workspaces/retention";
import { listen, type StopListening } from "#store/database/wake-ups";
import { requestStop } from "#store/runs/runs";
import { policiesOf } from "#store/users/policies";
import type { Capabilities } from "#workflow/capabilities";
import { effectivePolicy } from "#workflow/people/policy";

/** A composed server, without HTTP. */
export interface Server {
  readonly operations: Operations;
  /** Removes unfinished work of an earlier server. Comes before the first request. */
  tidyUp(): Promise<void>;
  /** Starts driving new runs, and the runs of an earlier server. */
  start(): Promise<void>;
  close(options: { readonly stopJobs: boolean }): Promise<void>;
}

/** Composes a server. Only this file knows how the parts are connected. */
export function compose(parts: ServerParts): Server {
  const own = ownParts(parts, (userId) => notebooks.cpuMsSoFar(userId));
  const scheduler = schedulerOf(parts, own);
  const notebooks = new Notebooks(notebooksContext(parts, own));
  const outbox = outboxOf(parts, own);
  const operations = operationsOf(parts, { ...own, scheduler, notebooks, outbox });
  const stops: (() => Promise<void>)[] = [];
  return {
    operations,
    tidyUp: () => tidyUp(parts, operations),
    async start() {
      // Rules held by an earlier server of this folder.
      await releaseRules(parts.db, parts.host.id);
      await scheduler.start();
      stops.push(
        lookForOutages(parts),
        applyRetention(parts),
        sweepOldRuns(parts, operations),
        lookAfterNotebooks(parts, notebooks),
        sendMessages(parts, outbox),
        sendReports(parts, operations),
        recheckPeople(parts, operations),
        shadowRuns(parts, operations),
        publishRuns(parts, operations),
        finishDeletions(parts, operations),
        forgetLeftHosts(parts),
        indexFiles(parts, operations),
        hearWakeUps(operations),
      );
      // A run may have been queued just before.
      scheduler.wake();
    },
    async close({ stopJobs }) {
      for (const stop of stops.splice(0).toReversed()) await stop();
      await operations.latePublications.close();
      await notebooks.stop({ stopJobs });
      await scheduler.close({ stopJobs });
      crashPoint("scheduler-closed");
    },
  };
}

async function tidyUp({ db, workspaces, uploads, log }: ServerParts, operations: Operations): Promise<void> {
  await finishRemovals(operations, (workspace, error) =>
    log.error({ err: error, workspace }, "The files of a deleted run could not be removed; trying again."),
  );
  await workspaces.clearIncoming();
  crashPoint("incoming-cleared");
  await workspaces.clearStaging(async (ids) => {
    const states = await workspaceStates(db, ids);
    return states.filter(({ isLive }) => isLive).map(({ id }) => id);
  });
  await uploads.forgetOld();
}

/** Reacts to wake-ups from this server and from the other servers of the database. */
function hearWakeUps({ db, scheduler, watching }: Operations): StopListening {
  return listen(db, {
    hear(wakeUp) {
      if (wakeUp.kind === "run-queued") scheduler.wake();
      else if (wakeUp.kind === "stop-requested") void scheduler.stop(wakeUp.runId, 0);
      watching.hear(wakeUp);
    },
    afterGap() {
      scheduler.wake();
      watching.afterGap();
    },
  });
}

/** Parts that the scheduler and the operations have in common. */
type OwnParts = Pick<Operations, "secrets" | "quotas" | "jobEndCounts">;

function ownParts(parts: ServerParts, cpuMsOfNotebooks: (userId: string) => Promise<number>): OwnParts {
  const { db, tokenSeal, host, others } = parts;
  const backends = backendsOf(parts.backends);
  const where = { db, backends, hostId: host.id, cpuMsOn: others?.cpuMs };
  const runningCpuMs = async (userId: string) =>
    (await cpuMsOfRunningJobs(where, userId)) + (await cpuMsOfNotebooks(userId));
  return {
    secrets: openUserSecrets(db, tokenSeal),
    quotas: openQuotas({ ...parts, runningCpuMs }, parts.defaultQuota ?? {}),
    jobEndCounts: new JobEndCounts(backends.all.map(({ name }) => name)),
  };
}

function schedulerOf(parts: ServerParts, { secrets, quotas, jobEndCounts }: OwnParts): Scheduler {
  const { db, clock, engines, workspaces, host, limits, disk, log } = parts;
  const backends = backendsOf(parts.backends);
  const { snapshotEveryEvents, inputs, outputStore } = parts;
  return createScheduler({
    runner: {
      db,
      clock,
      engines: engineRuntimes(engines),
      backends,
      gates: createBackendGates(clock, limits.jobsInFlight),
      workspaces,
      secrets,
      allowedImagesOf: async (userId) => effectivePolicy(await policiesOf(db, userId)).images,
      ...(inputs && { inputs: { ...inputs, openRoom: (userId) => quotas.openRoom(userId) } }),
      ...(outputStore && { outputStore }),
      noteEnd: (backendName, end) => jobEndCounts.note(backendName, end.reason),
      ...(snapshotEveryEvents !== undefined && { snapshotEveryEvents }),
    },
    clock,
    host,
    limits,
    disk,
    givenUpJobs: createGivenUpJobs({ backends, workspaces }),
    quotas,
    requestStop: (runId) => requestStop(db, runId, clock.now()),
    log,
  });
}

function notebooksContext(parts: ServerParts, { secrets, quotas }: OwnParts): NotebooksContext {
  const { db, clock, random, tokenSeal, host, backends, workspaces, notebooks, log } = parts;
  const capabilities = capabilitiesOf(parts);
  return {
    db,
    clock,
    random,
    seal: tokenSeal,
    hostId: host.id,
    others: parts.others?.notebooks,
    backends,
    workspaces,
    secrets,
    rules: {
      maybeUsedUp: (userId) => quotas.maybeUsedUpNow(userId),
      maybeImageRefusal: (userId, image) => maybeImageRefusal({ db, capabilities }, userId, [image]),
    },
    settings: notebooks,
    log,
  };
}

function outboxOf(parts: ServerParts, { secrets }: OwnParts): Outbox {
  const { db, clock, random, tokenSeal: seal, notifications, gitlab, log } = parts;
  const settings = notifications ?? { webhooks: { privateHosts: [] } };
  const commits = gitlab && { gitlab, maybeToken: (userId: string) => maybeGitlabToken(secrets, userId) };
  return new Outbox({ db, clock, random, seal, settings, commits, log });
}

function dashboardsOf({ db, host, backends, others }: ServerParts): DaskDashboards {
  return new DaskDashboards({ db, hostId: host.id, backends, others: others?.dashboards });
}

function operationsOf(
  parts: ServerParts,
  {
    scheduler,
    notebooks,
    outbox,
    secrets,
    quotas,
    jobEndCounts,
  }: OwnParts & Pick<Operations, "notebooks" | "outbox"> & { readonly scheduler: Scheduler },
): Operations {
  const { db, clock, random, log, disk, tokenSeal, workspaces, uploads, git, documents, bundles, limits } =
    parts;
  const backends = backendsOf(parts.backends);
  const logsHere = jobLogsOf(backends);
  const allLogs = parts.others && jobLogsOfAllHosts(logsHere, parts.others.logs, filesOfJobs(backends));
  const jobLogs = cachingLogTails(allLogs ?? logsHere);
  const engines = hostedEngines(parts.engines);
  return {
    db,
    clock,
    random,
    tokenSeal,
    signInProviders: parts.signInProviders ?? [],
    workspaces,
    uploads,
    git,
    documents,
    ...(parts.inputs && { inputSource: parts.inputs.source }),
    bundles,
    scheduler,
    disk,
    jobLogs,
    lostJobs: lostJobsOf(backends),
    secrets,
    quotas,
    notebooks,
    dashboards: dashboardsOf(parts),
    sideJobs: new SideJobs({ backends, hostId: parts.host.id, secrets }),
    outbox,
    latePublications: new LatePublications({
      db,
      clock,
      workspaces,
      secrets,
      ...(parts.outputStore && { outputStore: parts.outputStore }),
    }),
    unfinishedRemovals: new Set(),
    jobEndCounts,
    jobStateCache: new JobStateCache(db),
    graphs: new RunGraphs({ db, workspaces }, engineRuntimes(parts.engines)),
    fileIndex: new FileIndex({ db, clock, workspaces }),
    watching: createWatching({ db, clock, jobLogs, scheduler, log }),
    engines,
    capabilities: capabilitiesOf(parts),
    limits: {
      maxLogBytesInReply: limits.maxLogBytesInReply,
      maxRunsAtOnce: limits.maxRunsAtOnce,
      cores: limits.capacity.cores,
    },
    ...(parts.keepAdminToken && { keepAdminToken: parts.keepAdminToken }),
    ...(parts.gitlab && { gitlab: parts.gitlab }),
    runSettings: parts.runSettings ?? {},
    packing: parts.packing,
    deposits: parts.deposits,
  };
}

function capabilitiesOf({ engines, backends, workspaces }: ServerParts): Capabilities {
  const hosted = hostedEngines(engines);
  return {
    languages: {
      has: (language) => hosted.get(language) !== undefined,
      [Symbol.iterator]: () => hosted.keys()[Symbol.iterator](),
    },
    backends: backendsOf(backends).all.map(({ name, capabilities }) => ({ name, ...capabilities })),
    workspaceRoots: [workspaces.root],
  };
}

function engineRuntimes(engines: readonly RunnableEngine[]) {
  return new Map(engines.map(({ language, runtime }) => [language, runtime]));
}
