import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import { readPodParts } from "#backends/kubernetes/pod-parts";
import { RIGHTS, rightsFor } from "#backends/kubernetes/rights";
import { readConfig } from "#config/read";
import { CHART, GET_HELM, maybeHelm } from "../../../tools/chart.ts";
import { ROOT } from "../guides/blocks.ts";
import { type Manifest, manifestsWith, only } from "./manifests.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-chart-"));
afterAll(() => rmSync(folder, { recursive: true }));

const plain = manifestsWith("default");
const full = manifestsWith("full");

/** Reads the settings of the servers as a server does. */
function settingsOf(manifests: readonly Manifest[]) {
  const file = "/etc/reprise/reprise.conf";
  const text = only(manifests, "ConfigMap").data!["reprise.conf"];
  const env = {
    REPRISE_CONFIG: file,
    REPRISE_DATABASE: "postgres://db/reprise",
    REPRISE_PEER_ADDRESS: "10.0.0.5:7071",
  };
  return readConfig(env, {}, (name) => (name === file ? text : undefined));
}

const rightsOf = ({ rules }: Manifest) =>
  rules!.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, resource }))),
  );

describe("the chart", () => {
  test("gives the servers valid settings", () => {
    expect(settingsOf(plain)).toMatchObject({
      host: "0.0.0.0",
      sharedFolder: "/shared",
      backends: ["kubernetes"],
      kubernetesNamespace: "reprise-jobs",
      kubernetesClaim: { name: "reprise-shared", root: "/shared" },
      kubernetesPod: undefined,
      kubernetesPullSecrets: false,
    });
    expect(settingsOf(full)).toMatchObject({
      backends: ["kubernetes", "local"],
      adminEmail: "admin@example.org",
      publicUrl: expect.stringContaining("https://reprise.example.org"),
      maxRunsAtOnce: 200,
      kubernetesNamespace: "physics-batch",
      kubernetesClaim: { name: "physics-files-of-jobs", root: "/shared" },
      kubernetesPod: "/etc/reprise/pod.yaml",
      kubernetesPullSecrets: true,
    });
  });

  test("gives the Pods of jobs valid parts", () => {
    const file = path.join(folder, "pod.yaml");
    writeFileSync(file, only(full, "ConfigMap").data!["pod.yaml"]!);
    expect(readPodParts(file)).toMatchObject({
      labels: { "kueue.x-k8s.io/queue-name": "physics" },
      spec: { serviceAccountName: "jobs", runtimeClassName: "gvisor" },
    });
  });

  test("gives the servers the rights of `rights.ts`, in the namespace of the jobs", () => {
    const role = only(plain, "Role");
    expect(role.metadata.namespace).toBe("reprise-jobs");
    expect([...rightsOf(role), ...rightsOf(only(plain, "ClusterRole"))]).toEqual(RIGHTS);
    const labels = { "kueue.x-k8s.io/queue-name": "physics" };
    const used = rightsFor({ pullSecrets: true, parts: { labels, spec: {} } });
    const inNamespace = used.filter(({ resource }) => resource !== "nodes");
    expect(rightsOf(only(full, "Role"))).toEqual(
      inNamespace.map(({ verb, resource }) => ({ verb, resource })),
    );
    expect(full.filter(({ kind }) => kind.startsWith("ClusterRole"))).toEqual([]);
  });

  test("keeps the files, the claims and the running jobs when it is uninstalled", () => {
    const kept = plain.filter(({ metadata }) => metadata.annotations?.["helm.sh/resource-policy"] === "keep");
    expect(kept.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`)).toEqual([
      "Namespace /reprise-jobs",
      "PersistentVolume /reprise-reprise-shared",
      "PersistentVolume /reprise-jobs-reprise-shared",
      "PersistentVolumeClaim reprise/reprise-shared",
      "PersistentVolumeClaim reprise-jobs/reprise-shared",
    ]);
  });

  test("changes the Pods of the servers when their settings change", () => {
    const [one, other] = [plain, full].map((manifests) =>
      JSON.stringify(only(manifests, "StatefulSet"))
        .match(/"checksum\/settings":"(\w{64})"/)!
        .at(1),
    );
    expect(one).not.toBe(other);
  });

  test("stores no Secret and no database address in a manifest", () => {
    expect(JSON.stringify([...plain, ...full])).not.toMatch(/"kind":"Secret"|postgres:/);
  });
});

const helm = maybeHelm();

/** Runs tests with helm, or reports that helm is not installed. */
function onHelm(define: () => void): void {
  if (helm !== undefined) return define();
  test("helm is absent from this machine", () => {
    process.stderr.write(`Not run: the tests of the chart with helm. Get helm by: ${GET_HELM}\n`);
    expect(existsSync(CHART)).toBe(true);
  });
}

/** Runs helm, and returns what it printed, also as a complaint. */
function saidBy(...words: readonly string[]): string {
  try {
    return execFileSync(helm!, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return String((error as { readonly stderr: unknown }).stderr);
  }
}

onHelm(() =>
  describe("helm", () => {
    const values = path.join(ROOT, "fixtures", "chart", "default.values.yaml");

    test("lints the chart without a complaint", () => {
      expect(saidBy("lint", CHART, "--strict", "--values", values)).toContain("0 chart(s) failed");
    });

    test.each([
      [["image.repository="], "image.repository is missing: the image that you built from the Dockerfile."],
      [
        ["database.secret="],
        "database.secret is missing: a Secret with the address of the PostgreSQL database.",
      ],
      [["shared.volume=null"], "No shared folder: set shared.volume, or shared.claim and shared.jobsClaim."],
      [["shared.claim=files"], "shared.volume and shared.claim cannot be combined"],
      [["shared.volume=null", "shared.claim=files"], "shared.claim needs shared.jobsClaim"],
      [["jobs.namespace=reprise"], "jobs.namespace is the namespace of the servers."],
      [["ingress.enabled=true"], "ingress.host is missing"],
      [["replica=2"], "additional properties 'replica' not allowed"],
      [["server.settings.max-runs=200"], "got number, want string"],
    ])("refuses %j", (changes, sentence) => {
      const given = ["--namespace", "reprise", "--kube-version", "1.34.0", "--values", values];
      const said = saidBy(
        "template",
        "reprise",
        CHART,
        ...given,
        ...changes.flatMap((one) => ["--set", one]),
      );
      expect(said).toContain(sentence);
    });
  }),
);
