import type { ServerServices } from "#operations/service/services";
import { backendMetrics } from "#operations/service/backend-metrics";
import type { DiskUse } from "#plumbing/files/disk-space";
import { byLabel, type Metric, singleSample } from "#plumbing/metrics/exposition";
import { databaseBytes, loadOf } from "#store/database/database";
import { maybeQueuedSinceMs } from "#store/runs/run-queue";
import { RUN_STATUSES } from "#workflow/run/run-status";
import { countHosts, type KnownHost, listHosts } from "#store/hosts/hosts";
import { countOpenJobs, countRuns } from "#store/runs/totals";

type MetricsContext = Pick<
  ServerServices,
  "db" | "clock" | "scheduler" | "disk" | "jobEndCounts" | "limits" | "capabilities"
>;

/**
 * Returns the state of the service as metrics. Totals of runs come from the maintained counters, so that a hundred
 * thousand runs cost no more than one.
 */
export async function getMetrics(context: MetricsContext): Promise<readonly Metric[]> {
  return [
    ...(await runMetrics(context)),
    ...(await jobMetrics(context)),
    ...backendMetrics(context.capabilities.backends),
    ...(await hostMetrics(context)),
    ...(await databaseMetrics(context)),
    ...diskMetrics(context),
  ];
}

async function runMetrics({ db, clock, limits }: MetricsContext): Promise<readonly Metric[]> {
  const sinceMs = await maybeQueuedSinceMs(db);
  const totals = await countRuns(db);
  const ageSeconds = sinceMs === undefined ? 0 : Math.max(0, clock.now() - sinceMs) / 1000;
  return [
    byLabel(
      "reprise_runs",
      "gauge",
      "Runs by status, of all users.",
      "status",
      RUN_STATUSES.map((status) => [status, totals.get(status) ?? 0] as const),
    ),
    singleSample(
      "reprise_run_queue_age_seconds",
      "gauge",
      "Time for which the longest waiting run has been queued; 0 if no run is queued.",
      ageSeconds,
    ),
    singleSample(
      "reprise_runs_max",
      "gauge",
      "Runs that this server drives at once at most.",
      limits.maxRunsAtOnce,
    ),
  ];
}

async function jobMetrics({ db, jobEndCounts, limits }: MetricsContext): Promise<readonly Metric[]> {
  const open = await countOpenJobs(db);
  return [
    byLabel("reprise_jobs_open", "gauge", "Jobs that have not ended: waiting or running.", "status", [
      ["waiting", open.created],
      ["running", open.running],
    ]),
    {
      name: "reprise_jobs_ended_total",
      help: "Jobs that ended since this server started, by backend and reason.",
      type: "counter",
      samples: jobEndCounts
        .counts()
        .map(({ backend, reason, total }) => ({ labels: { backend, reason }, value: total })),
    },
    singleSample(
      "reprise_job_cores",
      "gauge",
      "Processors that the jobs of this server share.",
      limits.cores,
    ),
  ];
}

async function hostMetrics({ db, scheduler }: MetricsContext): Promise<readonly Metric[]> {
  const { present, total } = await countHosts(db);
  const { draining, gpus, gpusInUse } = scheduler.hostStatus();
  return [
    byLabel("reprise_hosts", "gauge", "Hosts that share the database and have not signed off.", "state", [
      ["present", present],
      ["silent", total - present],
    ]),
    ...(await metricsByHost(db)),
    byLabel("reprise_job_gpus", "gauge", "GPUs that the jobs of this host share.", "state", [
      ["used", gpusInUse],
      ["free", gpus - gpusInUse],
    ]),
    singleSample(
      "reprise_leases_held",
      "gauge",
      "Runs whose lease this server holds.",
      scheduler.activeRuns(),
    ),
    singleSample(
      "reprise_draining",
      "gauge",
      "1 while no queued run gets its turn.",
      draining === "no" ? 0 : 1,
    ),
  ];
}

/** Returns what the database knows of each host. Every server returns the same. */
async function metricsByHost(db: MetricsContext["db"]): Promise<readonly Metric[]> {
  const hosts = (await listHosts(db)).filter(
    ({ isPresent, seenAtMs, runs }) => isPresent || seenAtMs > 0 || runs > 0,
  );
  const gauge = (name: string, help: string, valueOf: (host: KnownHost) => number): Metric => ({
    name,
    help,
    type: "gauge",
    samples: hosts.map((host) => ({ labels: { host: host.name, host_id: host.id }, value: valueOf(host) })),
  });
  return [
    gauge("reprise_host_present", "1 while the server of the host runs.", ({ isPresent }) =>
      Number(isPresent),
    ),
    gauge(
      "reprise_host_runs",
      "Live runs that the host drives, or drove before it fell silent.",
      ({ runs }) => runs,
    ),
    gauge("reprise_host_jobs", "Running jobs that only the host sees.", ({ jobs }) => jobs),
  ];
}

async function databaseMetrics({ db }: MetricsContext): Promise<readonly Metric[]> {
  const { queries, failed, queryMs, transactions, transactionMs } = loadOf(db);
  const counter = (name: string, help: string, value: number) => singleSample(name, "counter", help, value);
  return [
    singleSample(
      "reprise_database_bytes",
      "gauge",
      "Size of the database on its disk.",
      await databaseBytes(db),
    ),
    counter("reprise_database_queries_total", "Queries of this server.", queries),
    counter("reprise_database_query_seconds_total", "Time that queries took.", queryMs / 1000),
    counter("reprise_database_failed_queries_total", "Queries that failed.", failed),
    counter("reprise_database_transactions_total", "Transactions of this server.", transactions),
    counter(
      "reprise_database_transaction_seconds_total",
      "Time that transactions took, with the wait for their turn and their commit.",
      transactionMs / 1000,
    ),
  ];
}

function diskMetrics({ disk }: MetricsContext): readonly Metric[] {
  const shared = disk.sharedSpace?.();
  const uses = [
    { use: disk.space(), labels: {} },
    { use: shared, labels: { folder: "shared" } },
  ].flatMap(({ use, labels }) => (use ? [{ use, labels }] : []));
  if (uses.length === 0) return [];
  const gauge = (name: string, help: string, valueOf: (use: DiskUse) => number): Metric => ({
    name,
    help,
    type: "gauge",
    samples: uses.map(({ use, labels }) => ({ labels, value: valueOf(use) })),
  });
  return [
    gauge(
      "reprise_disk_free_bytes",
      "Free space on the disk of the data folder, and of the shared folder.",
      ({ freeBytes }) => freeBytes,
    ),
    gauge("reprise_disk_bytes", "Size of the disk.", ({ totalBytes }) => totalBytes),
    gauge(
      "reprise_disk_floor_bytes",
      "Free space below which no job starts and no upload is accepted.",
      ({ floorBytes }) => floorBytes,
    ),
    singleSample(
      "reprise_disk_low",
      "gauge",
      "1 while too little space is free to start jobs.",
      disk.shortage() ? 1 : 0,
    ),
  ];
}
