import { setTimeout as delay } from "node:timers/promises";
import { TOKEN } from "./server-process.ts";

/** What the benchmark asks of a server about runs, over HTTP as everybody does. */
export interface Runs {
  create(commands: readonly string[]): Promise<string>;
  start(workflowId: string): Promise<void>;
  /** Settles when so many runs are in that status. */
  reach(status: string, count: number): Promise<void>;
}

const LOOK_INTERVAL_MS = 10;
/** Longer than any of them takes on a machine that is busy with other things. */
const GIVE_UP_AFTER_MS = 300_000;

export function runsOf(url: string): Runs {
  const call = async (method: string, path: string, query: string, body?: object) => {
    const response = await fetch(`${url}/api/workflows${path}?access_token=${TOKEN}${query}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${await response.text()}`);
    return (await response.json()) as { workflow_id: string; total: number };
  };
  const total = async (status: string) => (await call("GET", "", `&page=1&size=1&status=${status}`)).total;
  return {
    async create(commands) {
      const workflow = { type: "serial", specification: { steps: [{ commands }] } };
      return (await call("POST", "", "", { workflow })).workflow_id;
    },
    async start(workflowId) {
      await call("PUT", `/${workflowId}/status`, "&status=start");
    },
    async reach(status, count) {
      const beganAt = performance.now();
      while ((await total(status)) < count) {
        if ((await total("failed,stopped")) > 0) throw new Error("A run of the benchmark failed.");
        if (performance.now() - beganAt > GIVE_UP_AFTER_MS) throw new Error("The benchmark's runs do not end.");
        await delay(LOOK_INTERVAL_MS);
      }
    },
  };
}
