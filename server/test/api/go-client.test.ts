import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiFixture } from "../support/api-fixture.ts";
import { declaredStatuses } from "../support/reana-schemas.ts";
import { runScenarios } from "../support/scenarios/scenarios.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../support/run-rows.ts";

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

  test("download: a quoted name, with any Accept header", async () => {
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

describe("a refusal has a status in REANA's document, so that the sentence is shown", () => {
  beforeAll(() => createRun(api, ada, "fit"));
  const W = "/api/workflows/{workflow_id_or_name}";
  const secrets = `/api/secrets/?${T(ada)}`;
  const bob = { user_email_to_share_with: "bob@example.org" };
  const file = "%2E%2E%2Fa";
  test.each<[string, "POST" | "PUT" | "DELETE", string, string, object | undefined, string]>([
    ["open", "POST", `${W}/open/{interactive_session_type}`, fit("open/jupyter"), {}, "found no jupyter-lab"],
    ["close", "POST", `${W}/close/`, fit("close/"), undefined, "no open interactive session"],
    ["share-add", "POST", `${W}/share`, fit("share"), bob, "does not exist"],
    [
      "share-remove",
      "POST",
      `${W}/unshare`,
      fit("unshare?user_email_to_unshare_with=bob@example.org"),
      undefined,
      "does not exist",
    ],
    ["launch", "POST", "/api/launch", `/api/launch?${T(ada)}`, { url: "ftp://example.org/a.git" }, "ftp"],
    ["launch of nothing", "POST", "/api/launch", `/api/launch?${T(ada)}`, {}, "url"],
    ["secrets-add of nothing", "POST", "/api/secrets/", secrets, {}, "No secret"],
    [
      "secrets-add of no base64",
      "POST",
      "/api/secrets/",
      secrets,
      { A: { value: "%", type: "env" } },
      "base64",
    ],
    [
      "secrets-add of a bad name",
      "POST",
      "/api/secrets/",
      secrets,
      { "a b": { value: "", type: "env" } },
      "a b",
    ],
    ["secrets-add of no type", "POST", "/api/secrets/", secrets, { A: { value: "" } }, "type"],
    ["secrets-delete of no list", "DELETE", "/api/secrets/", secrets, { A: 1 }, "array"],
    [
      "rm of what lies outside",
      "DELETE",
      `${W}/workspace/{file_name}`,
      fit(`workspace/${file}`),
      undefined,
      "'..'",
    ],
    [
      "mv to what lies outside",
      "PUT",
      "/api/workflows/move_files/{workflow_id_or_name}",
      `/api/workflows/move_files/fit?source=a&target=%2Ftmp%2Fq&${T(ada)}`,
      undefined,
      "outside workspace",
    ],
    [
      "start with an unknown parameter",
      "POST",
      `${W}/start`,
      fit("start"),
      { input_parameters: { x: 1 } },
      "x",
    ],
    ["an unknown status", "PUT", `${W}/status`, fit("status?status=dance"), {}, "dance"],
  ])("%s", async (_, method, operation, url, payload, sentence) => {
    const reply = await api.inject({ method, url, headers: json, ...(payload && { payload }) });
    expect(declaredStatuses(method, operation)).toContain(reply.statusCode);
    expect(reply.json<{ message: string }>().message).toContain(sentence);
  });
});
