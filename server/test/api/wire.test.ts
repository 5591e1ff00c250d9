import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { humanSize } from "#plumbing/text/human-size";
import { jobsOfRun } from "#store/jobs/jobs";
import { apiFixture } from "../support/api-fixture.ts";
import { reanaCheck } from "../support/reana-schemas.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../support/run-rows.ts";
import { duOf, workspaceClient } from "../support/workspace-client.ts";

/**
 * The replies that clients of REANA read, as files: `fixtures/wire/`. A reply that changes shows up as a changed file,
 * to be looked at with reana-client in mind. Ids and times are numbered in the order in which they first appear.
 */
const conforms = reanaCheck();
const WIRE = path.join(import.meta.dirname, "..", "..", "..", "fixtures", "wire");

const api = await apiFixture();
afterAll(() => api.close());
const { db } = api.operations;
const ada = await api.makeUser("ada@example.org");
const bob = await api.makeUser("bob@example.org");

const specification = {
  ...serial(["echo ${who}", "exit 3"], { who: "you" }),
  outputs: { files: ["out.txt"] },
};
const run = await createRun(api, ada, "fit", specification);
const put = (name: string, content: string) =>
  api.inject({
    method: "POST",
    url: `/api/workflows/fit/workspace?file_name=${name}&${T(ada)}`,
    payload: content,
  });
await put("data/in.csv", "1,2\n");
await put("big.bin", "x".repeat(1536));
await changeStatus(api, ada, run.id, "start");
await untilStatus(api, ada, run.id, "running");
api.backend.end((await jobsOfRun(db, run.id))[0]!.id, { startedAtMs: 1000, endedAtMs: 2000 });
api.backend.end(await api.backend.startedJob(1), { exitCode: 3 });
await untilStatus(api, ada, run.id, "failed");
const other = await createRun(api, ada, "plot");
/** Differs between file systems. */
const bytesOnDisk = duOf(await workspaceClient(api, ada).folderOf(run));

/** Some sentences differ for REANA's clients. */
const REANA_CLIENT = "python-requests/2.32.5";

interface WireRequest {
  readonly file: string;
  readonly method?: "GET" | "POST" | "PUT";
  /** Below `/api/workflows`. */
  readonly url: string;
  readonly body?: object;
  /** The plain array is a shape of our own. */
  readonly isOurs?: boolean;
}

const requests: readonly WireRequest[] = [
  { file: "create-workflow", method: "POST", url: `?workflow_name=new&${T(ada)}`, body: specification },
  {
    file: "create-workflow-with-warnings",
    method: "POST",
    url: `?workflow_name=new&${T(ada)}`,
    body: { workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } }, mood: "good" },
  },
  { file: "create-workflow-refused", method: "POST", url: `?${T(ada)}`, body: { workflow: { type: "x" } } },
  { file: "list-workflows-page", url: `?verbose=true&type=batch&page=1&size=1&status=failed&${T(ada)}` },
  { file: "list-workflows-array", url: `?${T(ada)}`, isOurs: true },
  { file: "get-status", url: `/fit/status?${T(ada)}` },
  { file: "get-status-of-created", url: `/${other.id}/status?${T(ada)}` },
  { file: "get-status-absent", url: `/none/status?${T(ada)}` },
  { file: "get-status-of-another-user", url: `/${run.id}/status?${T(bob)}` },
  { file: "get-logs", url: `/fit/logs?page=1&${T(ada)}` },
  { file: "list-files", url: `/fit/workspace?page=1&size=1&${T(ada)}` },
  { file: "diff", url: `/fit/diff/plot?brief=false&context_lines=5&${T(ada)}` },
  { file: "diff-of-none", url: `/fit/diff/none?brief=false&context_lines=5&${T(ada)}` },
  { file: "upload-file", method: "POST", url: `/plot/workspace?file_name=%2Fa.txt&${T(ada)}`, body: {} },
  { file: "start-refused", method: "PUT", url: `/fit/status?status=start&${T(ada)}` },
  { file: "start", method: "PUT", url: `/plot/status?status=start&${T(ada)}` },
  { file: "stop", method: "PUT", url: `/plot/status?status=stop&${T(ada)}` },
  { file: "delete", method: "PUT", url: `/plot/status?status=deleted&${T(ada)}` },
  { file: "change-status-unknown", method: "PUT", url: `/fit/status?status=pause&${T(ada)}` },
];

describe("replies on the wire", () => {
  test.each(requests.map((request) => [request.file, request] as const))("%s", async (file, request) => {
    const { method = "GET", url, body } = request;
    const reply = await api.inject({
      method,
      url: `/api/workflows${url}`,
      headers: { "user-agent": REANA_CLIENT },
      ...(body && { payload: body }),
    });
    if (!request.isOurs) conforms(method, operationOf(url), reply);
    const text = `${reply.statusCode}\n${JSON.stringify(unfolded(reply.json()), null, 2)}\n`;
    await expect(masked(text)).toMatchFileSnapshot(path.join(WIRE, `${file}.txt`));
  });
});

test("a client of REANA refuses what it does not know: here, the plain array", async () => {
  const reply = await api.inject({ url: `/api/workflows?${T(ada)}` });
  expect(() => conforms("GET", "/api/workflows", reply)).toThrow(/deeply equal/);
});

function operationOf(url: string): string {
  const [place] = url.split("?") as [string];
  if (place.includes("/diff/")) return "/api/workflows/{workflow_id_or_name_a}/diff/{workflow_id_or_name_b}";
  return `/api/workflows${place.replace(/^\/[^/]+/, "/{workflow_id_or_name}")}`;
}

const JSON_TEXTS = ["logs", "reana_specification", "workspace_listing"];

/** Shows JSON inside a string as the parsed value. */
function unfolded(reply: unknown): unknown {
  const entries = Object.entries(reply as Record<string, unknown>);
  const shown = entries.map(([key, value]) =>
    JSON_TEXTS.includes(key)
      ? [key, { "JSON in a text": JSON.parse(value as string) as unknown }]
      : [key, value],
  );
  return Array.isArray(reply) ? reply : Object.fromEntries(shown);
}

function masked(text: string): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(`"raw": ${bytesOnDisk},`, '"raw": <as du counts>,')
    .replaceAll(`"${humanSize(bytesOnDisk)}"`, '"<as du counts>"')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
      return ids.get(id)!;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, "<time>")
    .replaceAll(/"wall_ms": \d+/g, '"wall_ms": "<duration>"')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}/g, "<log time>");
}
