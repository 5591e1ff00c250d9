import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { reanaCheck } from "../reana-schemas.ts";

/** The status and the body of an answer, or how the stand-in misbehaves. */
export type Answer = readonly [status: number, body: object | string] | "cut" | "silent";

/**
 * A server that answers as a REANA does. The answers are not recorded: each begins with the example of REANA's own
 * description of its API, or with a sentence of its source, and is checked against the descriptions of 0.9.4 and 0.95.
 */
export interface ReanaStandIn {
  readonly url: string;
  /** Answers by method and path. The name of a copy is written as `NAME`. */
  answers: Readonly<Record<string, Answer>>;
  /** Requests so far, with the number of bytes of each body. */
  readonly seen: string[];
  close(): Promise<void>;
}

export const REANA_ID = "cdcf48b1-c2f3-4693-8230-b066e088c6ac";
const USER = "00000000-0000-0000-0000-000000000000";
const OF = "/api/workflows/{workflow_id_or_name}";
const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/workflows$/, "/api/workflows"],
  [/\/workspace\/.+$/, `${OF}/workspace/{file_name}`],
  [/\/(status|workspace|start|logs)$/, `${OF}/$1`],
];
const ABSENT: Answer = [
  404,
  {
    message:
      "REANA_WORKON is set to NAME, but that workflow does not exist. Please set your REANA_WORKON environment variable " +
      "appropriately.",
  },
];

/** Answers to the requests that create, fill and start a copy. */
export const CREATED = {
  "POST /api/workflows": [
    201,
    {
      message: "The workflow has been successfully created.",
      workflow_id: REANA_ID,
      workflow_name: "mytest.1",
    },
  ],
  [`POST /api/workflows/${REANA_ID}/workspace`]: [200, { message: "in.txt has been successfully uploaded." }],
  [`POST /api/workflows/${REANA_ID}/start`]: [
    200,
    {
      message: "Workflow submitted",
      status: "queued",
      user: USER,
      workflow_id: REANA_ID,
      workflow_name: "mytest.1",
    },
  ],
} as const satisfies Record<string, Answer>;

/** Returns the answer about the status of the copy. A run that ended took a minute. */
export function statusAnswer(status: string, progress: object = {}): Record<string, Answer> {
  const none = { job_ids: [], total: 0 };
  const body = {
    created: "2018-10-29T12:50:12",
    id: REANA_ID,
    logs: "",
    name: "mytest.1",
    progress: {
      current_command: null,
      current_step_name: null,
      failed: none,
      finished: none,
      running: none,
      total: { job_ids: [], total: 1 },
      run_started_at: "2018-10-29T12:51:04",
      run_finished_at: "2018-10-29T12:52:04",
      ...progress,
    },
    status,
    user: USER,
  };
  return { [`GET /api/workflows/${REANA_ID}/status`]: [200, body] };
}

/** Returns the answer about the log, of which the engine's part is given. */
export function logsAnswer(workflowLogs: string): Record<string, Answer> {
  const logs = JSON.stringify({ workflow_logs: workflowLogs, job_logs: {}, engine_specific: null });
  const body = { logs, user: USER, workflow_id: REANA_ID, workflow_name: "mytest.1" };
  return { [`GET /api/workflows/${REANA_ID}/logs`]: [200, body] };
}

export async function startReanaStandIn(): Promise<ReanaStandIn> {
  const check = reanaCheck();
  const server = createServer((request, response) => void reply(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, "http://reana");
    const bytes = Buffer.concat((await request.toArray()) as Buffer[]).length;
    const place = `${request.method} ${pathname.replace(/shadow-[\w-]+/, "NAME")}`;
    the.seen.push(`${place} ${bytes}`);
    const answer = the.answers[place] ?? ABSENT;
    if (answer === "silent") return;
    if (answer === "cut") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write("{");
      setImmediate(() => response.destroy());
      return;
    }
    const [status, body] = answer;
    if (typeof body === "object") checkAnswer(request.method!, pathname, { status, body });
    response.writeHead(status, { "content-type": "application/json", connection: "close" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  function checkAnswer(method: string, pathname: string, { status, body }: { status: number; body: object }) {
    const [pattern, operation] = OPERATIONS.find(([one]) => one.test(pathname))!;
    const [found] = pattern.exec(pathname)!;
    const named = operation.includes("$1") ? operation.replace("$1", found.slice(1)) : operation;
    check(method, named, { statusCode: status, json: () => body as never });
  }

  const the: ReanaStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: {},
    seen: [],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return the;
}
