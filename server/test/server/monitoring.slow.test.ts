import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { apiFixture } from "../support/api-fixture.ts";
import { temporaryFolder } from "../support/real-server.ts";

const MONITORING = path.join(import.meta.dirname, "..", "..", "..", "docs", "monitoring");

/** Runs Prometheus' checker of rules and metrics. Returns its output. */
function promtool(cwd: string, args: readonly string[], input = ""): string {
  const { error, stdout, stderr } = spawnSync("promtool", args, { cwd, input, encoding: "utf8" });
  if (error) throw new Error("This test needs promtool: apt-get install prometheus.", { cause: error });
  return stdout + stderr;
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

async function expressionsOf(file: string): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(file, "utf8")) as Dashboard;
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

async function metricsPage(): Promise<string> {
  const api = await apiFixture();
  const url = `/metrics?access_token=${api.adminToken}`;
  await api.inject(url);
  let body = "";
  // A later page has the duration of the first request, and a lag of the event loop, which is sampled at intervals.
  await expect.poll(async () => ({ body } = await api.inject(url)).body).toContain("reprise_event_loop_lag");
  await api.close();
  return body;
}

test("the alerts are rules that Prometheus accepts, and fire when they should", () => {
  expect(promtool(MONITORING, ["check", "rules", "alerts.yml"])).toContain("SUCCESS: 5 rules found");
  expect(promtool(MONITORING, ["test", "rules", "alerts.test.yml"])).toContain("SUCCESS");
});

test("the page of metrics passes Prometheus' own check", async () => {
  expect(promtool(MONITORING, ["check", "metrics"], await metricsPage())).toBe("");
});

test("alerts and dashboard ask only for metrics that exist, in expressions that Prometheus accepts", async () => {
  const { folder, remove } = await temporaryFolder();
  const expressions = await expressionsOf(path.join(MONITORING, "grafana-dashboard.json"));
  const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
  await writeFile(path.join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "panels", rules }] }));
  expect(promtool(folder, ["check", "rules", "rules.yml"])).toContain(`${rules.length} rules found`);
  await remove();
  const asked = [...expressions, await readFile(path.join(MONITORING, "alerts.yml"), "utf8")]
    .join("\n")
    .match(/\b(reprise|process)_[a-z0-9_]+/g)!;
  const page = await metricsPage();
  const names = [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  expect([...new Set(asked)].filter((name) => !names.includes(name.replace(/_bucket$/, "")))).toEqual([]);
});
