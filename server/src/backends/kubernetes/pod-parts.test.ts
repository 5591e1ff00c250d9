import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { podOf } from "#backends/kubernetes/describe";
import { readPodParts } from "#backends/kubernetes/pod-parts";

const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-parts-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const file = path.join(folder, "pod.yaml");
  writeFileSync(file, text);
  return file;
}

test("the parts of a file are in each Pod, and the server's own labels win", () => {
  const text = `labels: {team: physics, reprise/records: other, kueue.x-k8s.io/queue-name: analysis}
annotations: {note: "1"}
nodeSelector: {disk: fast}
tolerations: [{key: batch, operator: Exists}]
imagePullSecrets: [{name: registry}]
priorityClassName: low
runtimeClassName: gvisor
`;
  const sent = {
    name: "reprise-1",
    job: jobOf("fit", { image: "a" }),
    workspaceFolder: "/w",
    orderFile: "/r/order",
    saidFile: "/r/said",
  };
  const settings = {
    records: "token",
    user: { uid: 1, gid: 1 },
    pullImages: "never",
    pullTimeoutMs: 0,
  } as const;
  expect(podOf(sent, { ...settings, parts: readPodParts(written(text)) })).toMatchObject({
    metadata: {
      labels: { team: "physics", "reprise/records": "token", "kueue.x-k8s.io/queue-name": "analysis" },
      annotations: { note: "1" },
    },
    spec: {
      restartPolicy: "Never",
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "batch", operator: "Exists" }],
      imagePullSecrets: [{ name: "registry" }],
      priorityClassName: "low",
      runtimeClassName: "gvisor",
    },
  });
});

test.each([
  ["[a]", "must be a mapping with parts such as labels"],
  ["hostNetwork: true", "has the part hostNetwork. Known parts: labels,"],
  ["toString: true", "has the part toString"],
  ["labels: {a: 1}", "labels must be a mapping of texts to texts"],
  ["tolerations: {key: a}", "tolerations must be a list of tolerations"],
  ["cvmfs: cvmfs", "cvmfs must be the source of a volume, such as"],
  ["kerberos: {realm: a}", "kerberos must be a mapping with image, configMap, or both"],
  ["priorityClassName: 7", "priorityClassName must be a text"],
  ["a: [", "cannot be read"],
])("%j is refused", (text, sentence) => {
  expect(() => readPodParts(written(text))).toThrow(sentence);
});
