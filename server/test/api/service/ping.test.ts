import { afterAll } from "vitest";
import { apiFixture, FIXTURE_VERSION } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const api = await apiFixture();
afterAll(() => api.close());
const pong = {
  message: "OK",
  status: "200",
  reana_server_version: FIXTURE_VERSION,
  api_capabilities: ["workflow-specification-bundles-v1"],
};

await runScenarios(api, [
  { name: "needs no credentials", url: "/api/ping", status: 200, reply: pong },
  { name: "does not mind wrong ones", url: "/api/ping?access_token=nobodys", status: 200, reply: pong },
  { name: "does not mind a slash at the end", url: "/api/ping/", status: 200, reply: pong },
  {
    name: "does not mind a body",
    url: "/api/ping",
    headers: { "content-type": "application/json" },
    body: "{not JSON",
    status: 200,
    reply: pong,
  },
  {
    name: "answers HEAD as GET, without the body",
    method: "HEAD",
    url: "/api/ping",
    status: 200,
    replyHeaders: { "content-length": String(JSON.stringify(pong).length) },
  },
]);
