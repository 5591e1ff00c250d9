import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { type RepriseProcess, TOKEN } from "./server-process.ts";

/** The runs of a server. All but `reach` are requests over HTTP, like any client's. */
export interface Runs {
  create(commands: readonly string[]): Promise<string>;
  /** Creates a run from the `workflow` of a specification. */
  createFrom(workflow: object, more?: RunDetails): Promise<string>;
  start(runId: string): Promise<void>;
  stop(runId: string): Promise<void>;
  restart(runId: string): Promise<void>;
  /**
   * Resolves when `count` runs have the status, and rejects if any run has failed. Sends no requests to the
   * server.
   */
  reach(status: string, count: number): Promise<void>;
}

export interface RunDetails {
  readonly inputs?: object;
  readonly outputs?: object;
  /** Contents of workspace files by path. */
  readonly files?: Readonly<Record<string, string>>;
}

const LOOK_INTERVAL_MS = 10;
/** Longer than any run takes on a busy machine. */
const GIVE_UP_AFTER_MS = 300_000;

/** Returns the runs of the user with this token. Default: the administrator. */
export function runsOf({ url, dataFolder }: Pick<RepriseProcess, "url" | "dataFolder">, token = TOKEN): Runs {
  const call = async (method: string, route: string, query: string, body?: object) => {
    const response = await fetch(`${url}/api/workflows${route}?access_token=${token}${query}`, {
      method,
      // The server may have closed an idle connection while the competitor was measured.
      headers: { "content-type": "application/json", connection: "close" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${route} was answered with ${await response.text()}`);
    return (await response.json()) as { workflow_id: string };
  };
  const createFrom = async (workflow: object, { inputs, outputs, files = {} }: RunDetails = {}) => {
    const run = (
      await call("POST", "", "", { workflow, ...(inputs && { inputs }), ...(outputs && { outputs }) })
    ).workflow_id;
    for (const [name, text] of Object.entries(files)) {
      const place = `${url}/api/workflows/${run}/workspace?access_token=${token}&file_name=${name}`;
      const { ok, status } = await fetch(place, { method: "POST", body: text });
      if (!ok) throw new Error(`The upload of ${name} was answered with ${status}.`);
    }
    return run;
  };
  return {
    create: (commands) => createFrom({ type: "serial", specification: { steps: [{ commands }] } }),
    createFrom,
    async start(runId) {
      await call("PUT", `/${runId}/status`, "&status=start");
    },
    async stop(runId) {
      await call("PUT", `/${runId}/status`, "&status=stop");
    },
    async restart(runId) {
      await call("PUT", `/${runId}/status`, "&status=start", { restart: true });
    },
    async reach(status, count) {
      const [reached] = await pollRuns(
        dataFolder,
        [`status = '${status}'`, FAILED],
        ([now, failed]) => now! >= count || failed! > 0,
      );
      if (reached! < count) throw new Error("A run of the benchmark failed.");
    },
  };
}

const AT_ONCE = 16;

/** Creates and starts `count` runs. Each has one step with the given commands. */
export async function startRuns(
  server: RepriseProcess,
  count: number,
  commands: readonly string[],
): Promise<void> {
  const runs = runsOf(server);
  await severalAtOnce(count, async () => runs.start(await runs.create(commands)));
}

/** Calls `work` this many times, with 16 calls under way at once. */
export async function severalAtOnce(count: number, work: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Resolves when `count` runs of a server match `where`. */
export async function untilRuns(dataFolder: string, where: string, count: number): Promise<void> {
  await pollRuns(dataFolder, [where], ([now]) => now! >= count);
}

const FAILED = "status IN ('failed', 'stopped')";

/**
 * Counts the runs that match each condition until `isDone`, and returns the last counts. Reads the database
 * directly: a request every 10 ms would take a tenth of the time that a run of many small jobs needs.
 */
async function pollRuns(
  dataFolder: string,
  conditions: readonly string[],
  isDone: (counts: readonly number[]) => boolean,
): Promise<readonly number[]> {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"), { readonly: true });
  const queries = conditions.map((where) => db.prepare(`SELECT count(*) FROM runs WHERE ${where}`).pluck());
  const count = () => queries.map((query) => query.get() as number);
  const beganAt = performance.now();
  try {
    let counts = count();
    for (; !isDone(counts); counts = count()) {
      if (performance.now() - beganAt > GIVE_UP_AFTER_MS)
        throw new Error(`Only ${counts[0]} runs have come to "${conditions[0]}".`);
      await delay(LOOK_INTERVAL_MS);
    }
    return counts;
  } finally {
    db.close();
  }
}
