import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { TOKEN } from "./server-process.ts";

/** Requests of the benchmark about runs, over HTTP like any client's. */
export interface Runs {
  create(commands: readonly string[]): Promise<string>;
  /** Creates a run from the `workflow` of a specification. */
  createFrom(workflow: object, more?: RunDetails): Promise<string>;
  start(runId: string): Promise<void>;
  stop(runId: string): Promise<void>;
  restart(runId: string): Promise<void>;
  /** Settles when `count` runs have that status. */
  reach(status: string, count: number): Promise<void>;
}

export interface RunDetails {
  readonly inputs?: object;
  /** The texts of files in its workspace. */
  readonly files?: Readonly<Record<string, string>>;
}

const LOOK_INTERVAL_MS = 10;
/** Longer than any run takes on a busy machine. */
const GIVE_UP_AFTER_MS = 300_000;

export function runsOf(url: string): Runs {
  const call = async (method: string, route: string, query: string, body?: object) => {
    const response = await fetch(`${url}/api/workflows${route}?access_token=${TOKEN}${query}`, {
      method,
      // The server may have closed a connection that waited while the other side was measured.
      headers: { "content-type": "application/json", connection: "close" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${route} was answered with ${await response.text()}`);
    return (await response.json()) as { workflow_id: string; total: number };
  };
  const createFrom = async (workflow: object, { inputs, files = {} }: RunDetails = {}) => {
    const run = (await call("POST", "", "", { workflow, ...(inputs && { inputs }) })).workflow_id;
    for (const [name, text] of Object.entries(files)) {
      const place = `${url}/api/workflows/${run}/workspace?access_token=${TOKEN}&file_name=${name}`;
      const { ok, status } = await fetch(place, { method: "POST", body: text });
      if (!ok) throw new Error(`The upload of ${name} was answered with ${status}.`);
    }
    return run;
  };
  const total = async (status: string) => (await call("GET", "", `&page=1&size=1&status=${status}`)).total;
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
      const beganAt = performance.now();
      while ((await total(status)) < count) {
        if ((await total("failed,stopped")) > 0) throw new Error("A run of the benchmark failed.");
        if (performance.now() - beganAt > GIVE_UP_AFTER_MS)
          throw new Error("The benchmark's runs do not end.");
        await delay(LOOK_INTERVAL_MS);
      }
    },
  };
}

const AT_ONCE = 16;

/** Creates and starts `count` runs with one step that has these commands. */
export async function startRuns(url: string, count: number, commands: readonly string[]): Promise<void> {
  const runs = runsOf(url);
  let begun = 0;
  const one = async () => {
    while (begun < count) {
      begun += 1;
      await runs.start(await runs.create(commands));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Polls the database of a running server until `count` of its runs match `where`. */
export async function untilRuns(dataFolder: string, where: string, count: number): Promise<void> {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"), { readonly: true });
  const total = db.prepare(`SELECT count(*) FROM runs WHERE ${where}`).pluck();
  const beganAt = performance.now();
  try {
    while ((total.get() as number) < count) {
      if (performance.now() - beganAt > GIVE_UP_AFTER_MS) {
        throw new Error(`Only ${String(total.get())} of ${count} runs have come to "${where}".`);
      }
      await delay(LOOK_INTERVAL_MS);
    }
  } finally {
    db.close();
  }
}
