import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../support/api-fixture.ts";
import { runScenarios } from "../support/scenarios.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../support/workflow-rows.ts";

/**
 * Requests as reana-client-go writes them: every flag is sent whether it was given or not, an empty text is sent as
 * well, a list of nothing is `null`, and replies are read into fixed types.
 */

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
await createRun(api, ada, "fit", serial(["echo hello"]));
const secret = { TOKEN: { value: "MQ==", type: "env" } };
await api.inject({ method: "POST", url: `/api/secrets/?${T(ada)}`, payload: secret });
const json = { accept: "application/json", "content-type": "application/json" };
const LIVING = "created,running,finished,failed,stopped,queued,pending";
const list = (flags: string) =>
  `/api/workflows?${T(ada)}&${flags}&page=1&search=&status=${LIVING}&type=batch&workflow_id_or_name=`;
const WORKED = { total: expect.any(Number), job_ids: expect.any(Array) };
const fit = (rest: string) => `/api/workflows/fit/${rest}${rest.includes("?") ? "&" : "?"}${T(ada)}`;

describe("reana-client-go", async () => {
  await runScenarios(api, [
    {
      name: "list",
      url: list("include_progress=false&include_workspace_size=false&verbose=false"),
      headers: json,
      status: 200,
      reply: expect.objectContaining({ total: 1, items: [expect.objectContaining({ name: "fit.1" })] }),
    },
    {
      name: "list -v shows progress and size, of which it says that it does not want them",
      url: list("include_progress=false&include_workspace_size=false&verbose=true"),
      headers: json,
      status: 200,
      reply: expect.objectContaining({
        items: [
          expect.objectContaining({
            progress: expect.objectContaining({ total: WORKED, finished: WORKED }),
            size: { raw: 0, human_readable: "0 Bytes" },
          }),
        ],
      }),
    },
    {
      name: "upload names a file without a slash in front",
      method: "POST",
      url: fit("workspace?file_name=data%2Fa+b.txt"),
      headers: { accept: "application/json", "content-type": "application/octet-stream" },
      body: "1\n",
      status: 200,
    },
    {
      name: "upload of nothing",
      method: "POST",
      url: fit("workspace?file_name=empty"),
      headers: { accept: "application/json", "content-type": "application/octet-stream" },
      body: "",
      status: 200,
    },
    {
      name: "ls",
      url: fit("workspace?file_name=&page=1&search="),
      headers: json,
      status: 200,
      reply: expect.objectContaining({ total: 2 }),
    },
    { name: "du", url: fit("disk_usage"), headers: json, body: {}, status: 200 },
    { name: "du -s", url: fit("disk_usage"), headers: json, body: { summarize: true }, status: 200 },
    { name: "logs", url: fit("logs?page=1"), headers: json, body: "null", status: 200 },
    { name: "logs of no step", url: fit("logs?page=1"), headers: json, body: "[]", status: 200 },
    {
      name: "diff with texts for numbers",
      url: `/api/workflows/fit/diff/fit?brief=false&context_lines=5&${T(ada)}`,
      headers: json,
      status: 200,
    },
    { name: "quota-show and ping", url: `/api/you?${T(ada)}`, headers: json, status: 200 },
    { name: "info", url: `/api/info?${T(ada)}`, headers: json, status: 200 },
    { name: "retention-rules-list", url: fit("retention_rules"), headers: json, status: 200 },
    {
      name: "secrets-delete",
      method: "DELETE",
      url: `/api/secrets/?${T(ada)}`,
      headers: json,
      body: ["TOKEN"],
      status: 200,
      reply: ["TOKEN"],
    },
    {
      name: "prune",
      method: "POST",
      url: fit("prune?include_inputs=true&include_outputs=true"),
      headers: json,
      status: 200,
    },
  ]);

  test("download: a quoted name, whatever type it would accept", async () => {
    await api.inject({
      method: "POST",
      url: fit("workspace?file_name=data%2Fa+b.txt"),
      headers: { "content-type": "application/octet-stream" },
      payload: "1\n",
    });
    const reply = await api.inject({
      url: fit("workspace/data%2Fa%20b.txt"),
      headers: { accept: "text/html" },
    });
    expect(reply.body).toBe("1\n");
    expect(reply.headers["content-disposition"]).toBe('attachment; filename="data/a b.txt"');
    expect(reply.headers["content-type"]).toBe("application/octet-stream");
  });

  test("start, logs, stop and delete", async () => {
    const start = { method: "POST", url: fit("start"), headers: json } as const;
    const started = await api.inject({
      ...start,
      payload: { input_parameters: null, operational_options: null },
    });
    expect(started.json()).toMatchObject({ status: "queued", workflow_name: "fit", run_number: "1" });
    await untilStatus(api, ada, "fit.1", "running");
    const logs = (
      await api.inject({ method: "GET", url: fit("logs?page=1"), headers: json, payload: "null" })
    ).json();
    expect(JSON.parse((logs as { logs: string }).logs)).toMatchObject({ workflow_logs: expect.any(String) });
    const stopped = await changeStatus(api, ada, "fit", "stop", {});
    expect(stopped.json()).toMatchObject({ status: "stopped" });
    const deleted = await changeStatus(api, ada, "fit", "deleted", { workspace: true });
    expect(deleted.json()).toMatchObject({ status: "deleted" });
  });
});
