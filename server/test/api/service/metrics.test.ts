import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { fakeDisk } from "../../support/fakes/fake-disk.ts";

const SPECIFICATION = {
  workflow: { type: "serial", specification: { steps: [{ environment: "any", commands: ["true"] }] } },
};

const TOKEN = "only-for-metrics";
const fake = fakeBackend();
const pulls = { underWay: 1, oldestMs: 1500, succeeded: 3, failed: 2 };
const backend = {
  ...fake,
  capabilities: { ...fake.capabilities, provides: () => ["sandbox"] as const, imagePulls: () => pulls },
};
const api = await apiFixture({ config: { metricsToken: TOKEN }, parts: { backends: [backend] } });
afterAll(() => api.close());

/** Returns the values of the page by their names with labels. */
async function read(): Promise<Map<string, number>> {
  const reply = await api.inject({ url: "/metrics", headers: { authorization: `Bearer ${TOKEN}` } });
  expect(reply.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = reply.body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

describe("values of the metrics", () => {
  test("a run, from the creation to the end of the job", async () => {
    const { token } = await api.makeUser();
    const T = `access_token=${token}`;
    const post = (url: string, payload: object) => api.inject({ method: "POST", url, payload });
    const before = await read();
    const { workflow_id: run } = (await post(`/api/workflows?${T}`, SPECIFICATION)).json();
    expect((await read()).get('reprise_runs{status="created"}')).toBe(
      before.get('reprise_runs{status="created"}')! + 1,
    );
    await post(`/api/workflows/${run}/start?${T}`, {});
    await expect.poll(async () => (await read()).get('reprise_jobs_open{status="running"}')).toBe(1);
    expect((await read()).get("reprise_leases_held")).toBe(1);
    fake.end(await fake.startedJob(0));
    const ended = `reprise_jobs_ended_total{backend="${fake.name}",reason="exited"}`;
    await expect.poll(async () => (await read()).get('reprise_runs{status="finished"}')).toBe(1);
    const after = await read();
    expect(after.get(ended)).toBe(1);
    expect(after.get('reprise_jobs_open{status="running"}')).toBe(0);
    expect(after.get("reprise_leases_held")).toBe(0);
  });

  test("a run that waits in the queue", async () => {
    expect((await read()).get("reprise_run_queue_age_seconds")).toBe(0);
    const { token } = await api.makeUser();
    const T = `access_token=${token}`;
    await api.operations.scheduler.drain("finishing");
    const { workflow_id: run } = (
      await api.inject({ method: "POST", url: `/api/workflows?${T}`, payload: SPECIFICATION })
    ).json();
    await api.inject({ method: "POST", url: `/api/workflows/${run}/start?${T}` });
    const waiting = await read();
    expect(waiting.get("reprise_draining")).toBe(1);
    expect(waiting.get('reprise_runs{status="queued"}')).toBe(1);
    expect(waiting.get("reprise_run_queue_age_seconds")).toBeGreaterThan(0);
  });

  test("what keeps the jobs of a backend from the machine, and how their images arrive", async () => {
    const page = await read();
    const of = (metric: string, labels = "") => page.get(`${metric}{backend="Fake"${labels}}`);
    expect(of("reprise_backend_enforces", ',feature="sandbox"')).toBe(1);
    expect(of("reprise_backend_enforces", ',feature="image"')).toBe(0);
    expect(of("reprise_image_pulls_open")).toBe(1);
    expect(of("reprise_image_pull_age_seconds")).toBe(1.5);
    expect(of("reprise_image_pulls_total", ',outcome="succeeded"')).toBe(3);
    expect(of("reprise_image_pulls_total", ',outcome="failed"')).toBe(2);
  });

  test("requests by route, never by address", async () => {
    const { token } = await api.makeUser();
    await api.inject(`/api/workflows/no-such-run/status?access_token=${token}`);
    await api.inject("/no/such/path");
    const page = await read();
    const route = 'route="/api/workflows/{workflow_id_or_name}/status"';
    expect(page.get(`reprise_http_requests_total{method="GET",${route},status="404"}`)).toBe(1);
    expect(page.get(`reprise_http_request_duration_seconds_count{method="GET",${route}}`)).toBe(1);
    expect(page.get('reprise_http_requests_total{method="GET",route="none",status="404"}')).toBe(1);
    expect([...page.keys()].join("\n")).not.toMatch(/no-such-run|no\/such/);
  });

  test("the disk of the shared folder, next to the disk of the data folder", async () => {
    const sharedSpace = () => ({ freeBytes: 3, totalBytes: 5, floorBytes: 4 });
    const disk = { ...fakeDisk(), sharedSpace };
    const other = await apiFixture({ config: { metricsToken: TOKEN }, parts: { disk } });
    const { body } = await other.inject({ url: "/metrics", headers: { authorization: `Bearer ${TOKEN}` } });
    await other.close();
    expect(body.split("\n").filter((line) => line.startsWith("reprise_disk_"))).toEqual([
      `reprise_disk_free_bytes ${2 ** 30}`,
      'reprise_disk_free_bytes{folder="shared"} 3',
      `reprise_disk_bytes ${2 ** 40}`,
      'reprise_disk_bytes{folder="shared"} 5',
      `reprise_disk_floor_bytes ${2 ** 20}`,
      'reprise_disk_floor_bytes{folder="shared"} 4',
      "reprise_disk_low 0",
    ]);
  });

  test("each host, by name and id", async () => {
    const page = await read();
    const labels = '{host="host",host_id="host"}';
    expect(page.get(`reprise_host_present${labels}`)).toBe(1);
    expect(page.get(`reprise_host_runs${labels}`)).toBe(page.get("reprise_leases_held"));
    expect(page.get(`reprise_host_jobs${labels}`)).toBe(0);
  });

  test("the database, the disk and the process", async () => {
    await read();
    const page = await read();
    const positive = [
      "reprise_database_bytes",
      "reprise_database_queries_total",
      "reprise_database_query_seconds_total",
      "reprise_database_transaction_seconds_total",
      "reprise_disk_free_bytes",
      "process_resident_memory_bytes",
      "process_start_time_seconds",
    ];
    for (const name of positive) expect(page.get(name), name).toBeGreaterThan(0);
    expect(page.get("reprise_database_failed_queries_total")).toBe(0);
    expect(page.get('reprise_hosts{state="present"}')).toBe(1);
    await expect.poll(async () => (await read()).get("reprise_event_loop_lag_max_seconds")).toBeDefined();
  });
});

describe("readers", () => {
  test("a wrong token is refused like any other", async () => {
    const reply = await api.inject({ url: "/metrics", headers: { authorization: `Bearer ${TOKEN}x` } });
    expect(reply.statusCode).toBe(403);
  });

  test("the token of the metrics opens nothing else", async () => {
    const reply = await api.inject({
      url: "/api/admin/users",
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(reply.statusCode).toBe(403);
  });

  test("anyone, if the administrator says so", async () => {
    const open = await apiFixture({ config: { metricsFor: "anyone" } });
    expect((await open.inject("/metrics")).statusCode).toBe(200);
    await open.close();
  });
});
