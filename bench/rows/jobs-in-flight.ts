import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { scatterOfCommands } from "../support/cwl-documents.ts";
import { requestTimes } from "../support/request-times.ts";
import { runsOf } from "../support/runs.ts";
import {
  peakMemoryMb,
  removeFolder,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const FEW = 1000;
const MANY = 10_000;

interface InFlight {
  /** Milliseconds from the first submission to the last, for a job. */
  readonly perJobMs: number;
  readonly peakMb: number;
  readonly longestWaitMs: number;
}

/** Measures jobs that wait in the queue of a fake Slurm, whose commands take as little time as a shell allows. */
export async function jobsInFlight(): Promise<Row[]> {
  const few = await inFlight(FEW);
  const many = await inFlight(MANY);
  const detail = `${many.perJobMs.toFixed(1)} against ${few.perJobMs.toFixed(1)} ms`;
  return [
    atMost(
      "sending a job, 10,000 in flight on a cluster",
      "1,000 in flight",
      many.perJobMs / few.perJobMs,
      1.2,
      "×",
      detail,
    ),
    atMost("memory of the server with them", "–", many.peakMb, 400, "MB"),
    atMost("longest wait for a reply meanwhile", "–", many.longestWaitMs, 200, "ms"),
  ];
}

async function inFlight(count: number): Promise<InFlight> {
  const folder = await temporaryFolder();
  const cluster = fakeSlurm(path.join(folder, "slurm"));
  const server = await startReprise(path.join(folder, "data"), {
    environment: {
      REPRISE_BACKENDS: "slurm",
      REPRISE_MAX_CLUSTER_JOBS: String(2 * count),
      REPRISE_MAX_OUTSTANDING: String(count),
      PATH: `${cluster}:${process.env["PATH"]}`,
    },
  });
  const runs = runsOf(server);
  const run = await runs.createFrom({ type: "cwl", specification: scatterOfCommands(count) });
  await runs.start(run);
  while (sentTo(cluster) === 0) await delay(10);
  const beganAt = performance.now();
  const url = `${server.url}/api/workflows/${run}/status?access_token=${TOKEN}`;
  let longestWaitMs = 0;
  while (sentTo(cluster) < count) {
    longestWaitMs = Math.max(longestWaitMs, (await requestTimes(url, 10)).p99);
    await delay(100);
  }
  const perJobMs = (performance.now() - beganAt) / count;
  const peakMb = await peakMemoryMb(server.pid);
  await server.kill();
  await removeFolder(folder);
  return { perJobMs, peakMb, longestWaitMs };
}

/** Makes a folder with commands of Slurm, in whose queue jobs wait for ever. Returns the folder. */
function fakeSlurm(folder: string): string {
  mkdirSync(folder);
  writeFileSync(path.join(folder, "queue"), "");
  const commands = {
    sbatch: `
      for word; do case $word in --job-name=*) name=\${word#*=};; esac; done
      read -r uuid < /proc/sys/kernel/random/uuid
      number=$((0x\${uuid##*-}))
      echo "$number|PD|bench|$name|(Resources)" >> ${folder}/queue
      echo "$number"`,
    squeue: `exec cat ${folder}/queue`,
    scontrol: "echo 'ClusterName = bench'",
    sinfo: "",
    scancel: "",
  };
  for (const [name, script] of Object.entries(commands)) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  return folder;
}

function sentTo(cluster: string): number {
  return readFileSync(path.join(cluster, "queue"), "utf8").split("\n").length - 1;
}
