import { DASHBOARD_PROGRAM } from "#engines/dask/dashboard";
import type { EngineInput } from "#engines/engine";
import { backendChoice } from "#engines/steps/backend-choice";
import type { Graph } from "#workflow/graph";
import type { Job } from "#workflow/job/job";
import { clusterKey, type DaskCluster, SCHEDULER_KEY } from "#workflow/specification/dask";
import { stepDemandsIn } from "#workflow/specification/step-demands";

export const SCHEDULER = SCHEDULER_KEY;
const WORKER = clusterKey("worker");
/** Times that a worker is started. */
export const WORKER_ATTEMPTS_MAX = 3;

/** The part of the graph with the jobs of a cluster. */
export function clusterGraph({ workers }: DaskCluster): Graph {
  return {
    nodes: [
      { id: SCHEDULER, name: "dask-scheduler", parent: null, jobs: 1 },
      { id: WORKER, name: "dask-worker", parent: null, jobs: workers },
    ],
    edges: [{ from: SCHEDULER, to: WORKER }],
  };
}

export function workerKey(number: number): string {
  return `${WORKER}-${number}`;
}

/** Files of a run's cluster, relative to the workspace. A restart shares the workspace with earlier runs. */
export function clusterFiles({ run }: Pick<EngineInput, "run">) {
  const folder = `.dask/${run.number}`;
  return { folder, address: `${folder}/address`, stop: `${folder}/stop` };
}

/**
 * Waits for the end of the program `$pid`, or for the file `stop`, and then ends the program. The scheduler removes the
 * folder at last. Reading from a pipe in which nothing arrives is a pause without another process. A worker that is asked
 * to end while it connects to a scheduler that has gone waits for ever, so it is killed after two seconds.
 */
const UNTIL_STOPPED = `
is_stopped() { [ -e "$folder/stop" ] || ! [ -d "$folder" ]; }
exec 9<> <(:)
until is_stopped; do
  kill -0 "$pid" 2>/dev/null || { wait "$pid"; code=$?; is_stopped && exit 0; exit "$code"; }
  read -r -t 0.2 -u 9 _
done
kill "$pid" 2>/dev/null
for ((looks = 0; looks < 10; looks++)); do
  kill -0 "$pid" 2>/dev/null || break
  read -r -t 0.2 -u 9 _
done
kill -KILL "$pid" 2>/dev/null
wait "$pid"
`;

/**
 * Makes the certificate of the cluster, starts the scheduler, and appends its address to the file `address`. All members
 * of the cluster and the steps of the run have the one certificate, so nobody else can send it work. New versions of Dask have
 * the program `dask` alone, and old ones `dask-scheduler` and `dask-worker`.
 */
const SCHEDULER_SCRIPT = `
folder=$1 address=
mkdir -p "$folder" || exit
umask 077
if command -v openssl >/dev/null 2>&1; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=dask \\
    -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>"$folder/openssl" || { cat "$folder/openssl"; exit 1; }
else
  python3 -c 'import sys; from distributed.security import Security
s = Security.temporary()
for name, text in ("cert", s.tls_ca_file), ("key", s.tls_client_key): open(f"{sys.argv[1]}/{name}.pem", "w").write(text)' "$folder" || exit
fi
program=(dask scheduler)
command -v dask-scheduler >/dev/null && program=(dask-scheduler)
cat >"$folder/dashboard.py" <<'END'
${DASHBOARD_PROGRAM}
END
"\${program[@]}" --port 0 --protocol tls --no-dashboard --preload "$folder/dashboard.py" --scheduler-file "$folder/scheduler.json" &
pid=$!
exec 8<> <(:)
until [ "$address" ]; do
  kill -0 "$pid" 2>/dev/null || { wait "$pid"; exit; }
  read -r -t 0.1 -u 8 _
  [ -e "$folder/scheduler.json" ] && address=$(sed -n 's/.*"address": *"\\([^"]*\\)".*/\\1/p' "$folder/scheduler.json")
done
echo "$address" >>"$folder/address"
${UNTIL_STOPPED}
rm -rf "$folder"
rmdir "\${folder%/*}" 2>/dev/null
exit 0
`;

const WORKER_SCRIPT = `
folder=$1
shift
program=(dask worker)
command -v dask-worker >/dev/null && program=(dask-worker)
"\${program[@]}" "$@" --nworkers 1 --no-nanny --no-dashboard --death-timeout 60 --local-directory "\${TMPDIR:-/tmp}" &
pid=$!
${UNTIL_STOPPED}
exit 0
`;

export function schedulerJob(input: EngineInput, cluster: DaskCluster): Job {
  const { folder } = clusterFiles(input);
  return {
    ...memberJob(input, cluster),
    key: SCHEDULER,
    name: "dask-scheduler",
    node: SCHEDULER,
    command: { argv: ["bash", "-c", SCHEDULER_SCRIPT, "dask-scheduler", folder] },
    displayCommand: "dask-scheduler",
  };
}

export function workerJob(
  input: EngineInput,
  cluster: DaskCluster,
  worker: { readonly number: number; readonly attempt: number; readonly address: string },
): Job {
  const { number, attempt, address } = worker;
  const { workerThreads, workerMemoryBytes } = cluster;
  const words = [
    address,
    "--name",
    `worker-${number}`,
    "--nthreads",
    String(workerThreads),
    "--memory-limit",
    String(workerMemoryBytes),
  ];
  return {
    ...memberJob(input, cluster),
    key: workerKey(number),
    name: `dask-worker-${number}`,
    node: WORKER,
    command: { argv: ["bash", "-c", WORKER_SCRIPT, "dask-worker", clusterFiles(input).folder, ...words] },
    displayCommand: `dask-worker ${words.join(" ")}`,
    limits: { memoryBytes: workerMemoryBytes },
    ...(attempt > 1 && { attempt }),
  };
}

/** Members serve no pages on their ports, where every user of the machine could read them. */
const NO_PAGES = {
  DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES: "[]",
  DASK_DISTRIBUTED__WORKER__HTTP__ROUTES: "[]",
};

/**
 * The members of a cluster run until the end of the run, so they reserve no cores and no memory: otherwise the steps
 * could wait for ever for what their own cluster holds.
 */
function memberJob(input: EngineInput, { image }: DaskCluster) {
  return {
    image,
    environment: { ...certificateVariables(input), ...NO_PAGES },
    network: "full" as const,
    resources: { cores: 0, memoryBytes: 0 },
    ...backendOfRun(input),
  };
}

/** A cluster runs where the first step with a `compute_backend` runs. */
function backendOfRun({ specification }: EngineInput): ReturnType<typeof backendChoice> {
  for (const { demands } of stepDemandsIn(specification.workflow)) {
    const choice = backendChoice(demands);
    if (choice.backend) return choice;
  }
  return {};
}

/** Returns a job of a step with the variables that lead to the cluster. */
export function withCluster(job: Job, input: EngineInput, address: string): Job {
  const environment = { DASK_SCHEDULER_URI: address, ...certificateVariables(input), ...job.environment };
  return { ...job, environment, network: job.network ?? "full" };
}

function certificateVariables(input: EngineInput): Readonly<Record<string, string>> {
  const folder = `${input.run.workspaceFolder}/${clusterFiles(input).folder}`;
  const roles = ["SCHEDULER", "WORKER", "CLIENT"].flatMap((role) => [
    [`DASK_DISTRIBUTED__COMM__TLS__${role}__CERT`, `${folder}/cert.pem`],
    [`DASK_DISTRIBUTED__COMM__TLS__${role}__KEY`, `${folder}/key.pem`],
  ]);
  return {
    DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION: "True",
    DASK_DISTRIBUTED__COMM__TLS__CA_FILE: `${folder}/cert.pem`,
    ...Object.fromEntries(roles),
  };
}
