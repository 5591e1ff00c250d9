import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Cluster,
  startKubernetes,
  TEST_IMAGE,
} from "../../server/src/backends/kubernetes/started-kubernetes-fixture.ts";
import { scatterOfCommands } from "../support/cwl-documents.ts";
import { requestTimes } from "../support/request-times.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf, startRuns } from "../support/runs.ts";
import {
  peakMemoryMb,
  removeFolder,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const PODS = "/api/v1/namespaces/default/pods";
const SIZES = [20, 200] as const;
const ROUNDS = 3;
const MANY = 10_000;
/** How long the calls of waiting jobs are counted, several listings long. */
const COUNTED_MS = 20_000;

/** Set for a run of minutes on a machine that is busy: the bounds hold for the whole sizes. */
const PART = Number(process.env["BENCH_KUBERNETES_PART"] ?? "1");
const sized = (count: number) => Math.max(1, Math.round(count * PART));

/** Measures jobs `true` on a real Kubernetes of two nodes against kubectl, and jobs that wait for a node. */
export async function kubernetes(): Promise<Row[]> {
  const cluster = await startKubernetes();
  const folder = await temporaryFolder();
  try {
    return [...(await againstKubectl(cluster, folder)), ...(await inFlight(cluster, folder))];
  } finally {
    cluster.down();
    await removeFolder(folder);
  }
}

function serverOn(cluster: Cluster, folder: string, jobs: number) {
  return startReprise(folder, {
    environment: {
      REPRISE_BACKENDS: "kubernetes",
      REPRISE_KUBERNETES_CONFIG: cluster.kubeconfig,
      REPRISE_DEFAULT_IMAGE: TEST_IMAGE,
      REPRISE_PULL_IMAGES: "never",
      REPRISE_MAX_RUNS: String(jobs),
      REPRISE_MAX_CLUSTER_JOBS: String(2 * jobs),
      REPRISE_MAX_OUTSTANDING: String(jobs),
    },
  });
}

async function againstKubectl(cluster: Cluster, folder: string): Promise<Row[]> {
  const server = await serverOn(cluster, path.join(folder, "data"), sized(SIZES[1]));
  const runs = runsOf(server);
  const rows: Row[] = [];
  let finished = 0;
  for (const size of SIZES) {
    const count = sized(size);
    const ours = async () => {
      const beganAt = performance.now();
      await startRuns(server, count, ["true"]);
      await runs.reach("finished", (finished += count));
      return performance.now() - beganAt;
    };
    const theirs = async () => byKubectl(cluster, count);
    const { ratio, detail } = await ratioInTurns(ours, theirs, ROUNDS);
    rows.push(
      atMost(
        `${count} runs of a job \`true\` on Kubernetes, ms`,
        "`kubectl create`, and `kubectl wait`",
        ratio,
        1.2,
        "×",
        detail,
      ),
    );
  }
  await server.stop();
  return rows;
}

/** Creates Pods of the same image by one call of kubectl, and waits until all have ended. */
async function byKubectl({ kubeconfig }: Cluster, count: number): Promise<number> {
  const container = {
    name: "job",
    image: `docker.io/library/${TEST_IMAGE}`,
    imagePullPolicy: "Never",
    command: ["true"],
  };
  const items = Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `bare-${index}`, labels: { bench: "bare" } },
    spec: { restartPolicy: "Never", automountServiceAccountToken: false, containers: [container] },
  }));
  const beganAt = performance.now();
  await kubectl(kubeconfig, ["create", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const ended = "--for=jsonpath={.status.phase}=Succeeded";
  await kubectl(kubeconfig, ["wait", ended, "pod", "-l", "bench=bare", "--timeout=600s"]);
  const tookMs = performance.now() - beganAt;
  await kubectl(kubeconfig, ["delete", "pod", "-l", "bench=bare", "--force", "--grace-period=0"]);
  return tookMs;
}

/** The line to the API server leads through this process, so nothing here may block. */
async function kubectl(kubeconfig: string, words: readonly string[], input = ""): Promise<void> {
  const stdio = ["pipe", "ignore", "inherit"] as const;
  const child = spawn("kubectl", ["--kubeconfig", kubeconfig, ...words], { stdio: [...stdio] });
  child.stdin.end(input);
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`kubectl ${words[0]} ended with ${code}.`);
}

interface Waiting {
  /** Milliseconds from the first submission to the last, for a job. */
  readonly perJobMs: number;
  readonly callsPerJob: number;
  /** Calls about Pods in the counted time, while nothing changes. */
  readonly callsAtRest: number;
  readonly peakMb: number;
  readonly longestWaitMs: number;
}

/** Measures jobs that wait on the real API server, because no scheduler gives them a node. */
async function inFlight(cluster: Cluster, folder: string): Promise<Row[]> {
  cluster.kill("kube-scheduler");
  cluster.kill("kube-controller-manager");
  const few = await waiting(cluster, folder, sized(MANY / 10));
  const many = await waiting(cluster, folder, sized(MANY));
  const count = sized(MANY).toLocaleString("en");
  const times = `${many.perJobMs.toFixed(1)} against ${few.perJobMs.toFixed(1)} ms`;
  const calls = `${many.callsPerJob.toFixed(2)} against ${few.callsPerJob.toFixed(2)}`;
  return [
    atMost(
      `sending a job, ${count} waiting on Kubernetes`,
      "a tenth of them",
      many.perJobMs / few.perJobMs,
      1.3,
      "×",
      times,
    ),
    atMost(
      "calls of the API server for a job",
      "a tenth of them",
      many.callsPerJob / few.callsPerJob,
      1.1,
      "×",
      calls,
    ),
    atMost(
      `calls in ${COUNTED_MS / 1000} s while they wait`,
      "–",
      many.callsAtRest,
      40,
      "calls",
      `${few.callsAtRest} for a tenth`,
    ),
    atMost("memory of the server with them", "–", many.peakMb, 400, "MB"),
    atMost("longest wait for a reply meanwhile", "–", many.longestWaitMs, 200, "ms"),
  ];
}

async function waiting(cluster: Cluster, folder: string, count: number): Promise<Waiting> {
  const server = await serverOn(cluster, path.join(folder, `data-${count}`), count);
  const runs = runsOf(server);
  const run = await runs.createFrom({ type: "cwl", specification: scatterOfCommands(count) });
  const before = await callsOf(cluster);
  await runs.start(run);
  const beganAt = performance.now();
  const url = `${server.url}/api/workflows/${run}/status?access_token=${TOKEN}`;
  let longestWaitMs = 0;
  while (createdBy(await callsOf(cluster)) - createdBy(before) < count) {
    longestWaitMs = Math.max(longestWaitMs, (await requestTimes(url, 10)).p99);
    await delay(100);
  }
  const perJobMs = (performance.now() - beganAt) / count;
  const sent = await callsOf(cluster);
  await delay(COUNTED_MS);
  const callsAtRest = sumOf(await callsOf(cluster)) - sumOf(sent);
  const peakMb = await peakMemoryMb(server.pid);
  await server.kill();
  await cluster.call("DELETE", `${PODS}?gracePeriodSeconds=0`);
  return { perJobMs, callsPerJob: (sumOf(sent) - sumOf(before)) / count, callsAtRest, peakMb, longestWaitMs };
}

/** Number of calls about Pods so far, by verb, as the API server counts them. */
type Calls = ReadonlyMap<string, number>;

async function callsOf(cluster: Cluster): Promise<Calls> {
  const text = await cluster.metrics();
  const calls = new Map<string, number>();
  for (const [, labels, value] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    if (!labels!.includes('resource="pods"') || labels!.includes('subresource="status"')) continue;
    const verb = /verb="(\w+)"/.exec(labels!)![1]!;
    calls.set(verb, (calls.get(verb) ?? 0) + Number(value));
  }
  return calls;
}

function createdBy(calls: Calls): number {
  return calls.get("POST") ?? 0;
}

function sumOf(calls: Calls): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
