import { expect, test } from "vitest";
import { reportBackends } from "#app/jobs/backends";
import type { Config } from "#config/settings";

test.each<[Config["backends"], Readonly<Record<string, readonly string[]>>]>([
  [["local"], { Local: ["local", "kubernetes"] }],
  [["kubernetes"], { Kubernetes: ["kubernetes"], Local: [] }],
  [["kubernetes", "local"], { Kubernetes: ["kubernetes"], Local: ["local"] }],
  [["local", "kubernetes"], { Local: ["local"], Kubernetes: ["kubernetes"] }],
])("the words of steps with --backends %j", async (backends, expected) => {
  expect(await wordsWith({ backends })).toEqual(Object.entries(expected));
});

type Choice = Pick<Config, "backends"> & Partial<Pick<Config, "defaultBackend" | "computeBackends">>;

/** Returns the words of each place, the default place first. */
async function wordsWith(choice: Choice) {
  const places = { dataFolder: "/nowhere", sharedFolder: undefined, defaultBackend: undefined };
  const kubernetes = {
    kubernetesConfig: "/nowhere",
    kubernetesNamespace: undefined,
    kubernetesPod: undefined,
    kubernetesPullSecrets: false,
  };
  const slurm = { slurmHost: undefined, slurmSshConfig: undefined };
  const reports = await reportBackends({
    computeBackends: {},
    ...places,
    ...kubernetes,
    ...slurm,
    ...choice,
  });
  return reports.map(({ name, computeBackends }) => [name, computeBackends]);
}

test("a word of the settings belongs to one place, and the default place comes first", async () => {
  const backends = ["local", "slurm", "htcondor"] as const;
  const computeBackends = { batch: "slurm", slurmcern: "htcondor", slurm: "slurm" } as const;
  expect(await wordsWith({ backends, computeBackends, defaultBackend: "slurm" })).toEqual([
    ["Slurm", ["slurm", "batch"]],
    ["Local", ["local", "kubernetes"]],
    ["HTCondor", ["htcondorcern", "htcondor", "slurmcern"]],
  ]);
});

test("beside Kubernetes, the machine of the server runs only words that the settings name", async () => {
  const given = { backends: ["kubernetes", "local"], computeBackends: { kubernetes: "local" } } as const;
  expect(await wordsWith(given)).toEqual([
    ["Kubernetes", []],
    ["Local", ["local", "kubernetes"]],
  ]);
});
