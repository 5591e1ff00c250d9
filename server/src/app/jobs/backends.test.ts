import { expect, test } from "vitest";
import { reportBackends } from "#app/jobs/backends";
import type { Config } from "#config/settings";

test.each<[Config["backends"], Readonly<Record<string, readonly string[]>>]>([
  [["local"], { Local: ["local", "kubernetes"] }],
  [["kubernetes"], { Kubernetes: ["kubernetes"], Local: [] }],
  [["kubernetes", "local"], { Kubernetes: ["kubernetes"], Local: ["local"] }],
  [["local", "kubernetes"], { Local: ["local"], Kubernetes: ["kubernetes"] }],
])("the words of steps with --backends %j", async (backends, expected) => {
  const places = { dataFolder: "/nowhere", sharedFolder: undefined };
  const kubernetes = {
    kubernetesConfig: "/nowhere",
    kubernetesNamespace: undefined,
    kubernetesPullSecrets: false,
  };
  const reports = await reportBackends({ backends, ...places, ...kubernetes });
  expect(Object.fromEntries(reports.map(({ name, computeBackends }) => [name, computeBackends]))).toEqual(
    expected,
  );
});
