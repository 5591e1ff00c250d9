import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { installCondorStandIn } from "../../server/src/backends/htcondor/stand-in-fixture.ts";
import type { Connection } from "../../server/src/store/database/connection.ts";
import { openPostgres } from "../../server/src/store/dialects/postgres.ts";
import { startPostgresServer } from "../../server/src/store/dialects/postgres-server-suite.ts";
import { LEASE_MS } from "../../server/src/store/hosts/hosts.ts";
import { makeGate } from "../support/gate.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { startRuns } from "../support/runs.ts";
import {
  removeFolder,
  type RepriseProcess,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const RUNS = 1000;
const LIVE = 100;
const ROUNDS = 3;
const LOOK_INTERVAL_MS = 20;

/** A pair of servers with the same database and shared folder. */
interface Pair {
  readonly db: Connection;
  readonly folder: string;
  readonly servers: readonly [RepriseProcess, RepriseProcess];
}

/** Measures two servers on a machine against a single server, and how long runs of a killed server stand still. */
export async function severalServers(): Promise<Row[]> {
  return [await withPair(() => ({}), twoAgainstOne), await withPair(onStandIn, untilTakenOver)];
}

async function withPair(
  settingsIn: (folder: string) => Record<string, string>,
  measure: (pair: Pair) => Promise<Row>,
): Promise<Row> {
  const postgres = await startPostgresServer();
  const folder = await temporaryFolder();
  const shared = path.join(folder, "shared");
  await mkdir(shared);
  const environment = { ...settingsIn(folder), REPRISE_DATABASE: postgres.url() };
  const start = (name: string) =>
    startReprise(path.join(folder, name), { settings: ["--shared", shared], environment });
  const servers = [await start("one"), await start("two")] as const;
  const db = openPostgres(postgres.url());
  try {
    return await measure({ db, folder, servers });
  } finally {
    await db.destroy();
    await postgres.remove();
    await removeFolder(folder);
  }
}

async function twoAgainstOne({ db, servers }: Pair): Promise<Row> {
  let finished = 0;
  const through = async (working: readonly RepriseProcess[]) => {
    for (const server of servers) await drain(server, "POST");
    await startRuns(servers[0], RUNS, ["true"]);
    const beganAt = performance.now();
    for (const server of working) await drain(server, "DELETE");
    await untilRuns(db, { status: "finished" }, (finished += RUNS));
    return performance.now() - beganAt;
  };
  const measured = await ratioInTurns(
    () => through(servers),
    () => through(servers.slice(0, 1)),
    ROUNDS,
  );
  for (const server of servers) await server.stop();
  const what = `${RUNS.toLocaleString("en")} queued runs by two servers on one machine, ms`;
  return atMost(what, "by one", measured.ratio, 1.15, "×", measured.detail);
}

function onStandIn(folder: string): Record<string, string> {
  return { ...installCondorStandIn(path.join(folder, "pool")), REPRISE_MAX_RUNS: String(LIVE) };
}

async function untilTakenOver({ db, folder, servers: [one, two] }: Pair): Promise<Row> {
  await drain(two, "POST");
  const gate = await makeGate(folder);
  await startRuns(one, LIVE, [gate.command]);
  await untilRuns(db, { jobs_running: 1 }, LIVE);
  await drain(two, "DELETE");
  const beganAt = performance.now();
  await one.kill();
  await untilRuns(db, { lease_epoch: 2 }, LIVE);
  const tookMs = performance.now() - beganAt;
  await gate.open();
  await untilRuns(db, { status: "finished" }, LIVE);
  await two.stop();
  const detail = `${Math.round(tookMs)} against ${LEASE_MS} ms`;
  const what = `a server killed with ${LIVE} live runs on a cluster, until all go on elsewhere`;
  return atMost(what, "the lease", tookMs / LEASE_MS, 1.3, "×", detail);
}

async function drain({ url }: RepriseProcess, method: "POST" | "DELETE"): Promise<void> {
  const { ok, status } = await fetch(`${url}/api/admin/drain?access_token=${TOKEN}`, { method });
  if (!ok) throw new Error(`${method} /api/admin/drain was answered with ${status}.`);
}

/** Resolves when `count` runs have the given values. */
async function untilRuns(
  db: Connection,
  values: { readonly status?: "finished"; readonly jobs_running?: number; readonly lease_epoch?: number },
  count: number,
): Promise<void> {
  for (;;) {
    const { total } = await db
      .selectFrom("runs")
      .select(({ fn }) => fn.countAll().as("total"))
      .where((where) => where.and(values))
      .executeTakeFirstOrThrow();
    if (Number(total) >= count) return;
    await delay(LOOK_INTERVAL_MS);
  }
}
