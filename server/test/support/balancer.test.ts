import { afterAll, expect, test } from "vitest";
import { apiFixture } from "./api-fixture.ts";

const api = await apiFixture({ config: { metricsToken: "metrics" } });
afterAll(() => api.close());

test("requests reach all servers: three servers in a project behind a balancer", async ({ task }) => {
  const servers = task.file.projectName?.endsWith("-servers") ? 3 : 1;
  const hosts = await api.inject(`/api/admin/hosts?access_token=${api.adminToken}`);
  expect(hosts.json()).toHaveLength(servers);
  const url = await api.listen();
  for (let round = 0; round < 200; round += 1) await api.inject("/api/ping");
  for (let round = 0; round < 50; round += 1)
    await fetch(`${url}/api/info?access_token=${api.adminToken}`, { headers: { connection: "close" } });
  // Each server counts requests for itself.
  const seen = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    const page = await api.inject({ url: "/metrics", headers: { authorization: "Bearer metrics" } });
    const counts = page.body.match(/^reprise_http_requests_total\{.*route="\/api\/(?:ping|info)".*$/gm);
    seen.add(String(counts?.toSorted()));
  }
  expect(seen.size).toBe(servers);
});
