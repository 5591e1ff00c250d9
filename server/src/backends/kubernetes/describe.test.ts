import { describe, expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { podOf } from "#backends/kubernetes/describe";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import type { Job } from "#workflow/job/job";

const SETTINGS: PodSettings = {
  records: "token",
  user: { uid: 1000, gid: 0 },
  defaultImage: "python:3.12",
  pullImages: "missing",
  pullTimeoutMs: 60_000,
};
const sent = (change: Partial<Job> = {}) => ({
  name: "reprise-1",
  job: jobOf("fit", change),
  workspaceFolder: "/data/workspaces/w",
  orderFile: "/data/jobs/kubernetes/1/1/order",
  saidFile: "/data/jobs/kubernetes/1/1/said",
});

/** The Pod of a plain job, as the API server gets it. */
const PLAIN = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "reprise-1",
    labels: { "app.kubernetes.io/managed-by": "reprise", "reprise/records": "token" },
  },
  spec: {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 10,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "job",
        image: "docker.io/library/python:3.12",
        imagePullPolicy: "IfNotPresent",
        command: [
          "/bin/sh",
          "-c",
          "exec /bin/sh /data/jobs/kubernetes/1/1/order >> /data/jobs/kubernetes/1/1/said 2>&1",
        ],
        workingDir: "/",
        env: [
          { name: "REPRISE_POD", value: "reprise-1" },
          { name: "REPRISE_NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          { name: "NVIDIA_VISIBLE_DEVICES", value: "void" },
        ],
        resources: { requests: {}, limits: {} },
        securityContext: {
          runAsUser: 1000,
          runAsGroup: 0,
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [
          { name: "workspace", mountPath: "/data/workspaces/w" },
          { name: "record", mountPath: "/data/jobs/kubernetes/1/1" },
        ],
      },
    ],
    volumes: [
      { name: "workspace", hostPath: { path: "/data/workspaces/w" } },
      { name: "record", hostPath: { path: "/data/jobs/kubernetes/1/1" } },
    ],
  },
};

describe("the Pod of a job", () => {
  test("that is plain", () => {
    expect(podOf(sent(), SETTINGS)).toEqual(PLAIN);
  });

  test("with limits, requests, a user and the id of its run", () => {
    const pod = podOf(
      sent({
        image: "ghcr.io/lab/fit@sha256:" + "a".repeat(64),
        user: { uid: 1500, gid: 0 },
        limits: { timeMs: 90_000, memoryBytes: 2 ** 30, cores: 1.5 },
        environment: { REANA_WORKFLOW_UUID: "7f1d" },
        backend: {
          name: "kubernetes",
          options: { kubernetes_cpu_request: "500m", kubernetes_memory_request: "256Mi" },
        },
      }),
      SETTINGS,
    );
    expect(pod).toMatchObject({
      metadata: { labels: { "reana-run-job-workflow-uuid": "7f1d" } },
      spec: {
        activeDeadlineSeconds: 90 + 60 + 60,
        containers: [
          {
            image: `ghcr.io/lab/fit@sha256:${"a".repeat(64)}`,
            resources: {
              requests: { cpu: "500m", memory: "256Mi" },
              limits: { cpu: "1500m", memory: "1073741824" },
            },
            securityContext: { runAsUser: 1500, runAsGroup: 0 },
          },
        ],
      },
    });
  });

  test.each([
    [{ gpus: 2 }, { limits: { "nvidia.com/gpu": "2" } }, []],
    [{ gpus: 2, gpusAreHint: true as const }, { limits: {} }, ["NVIDIA_VISIBLE_DEVICES"]],
    [{}, { limits: {} }, ["NVIDIA_VISIBLE_DEVICES"]],
  ])("that asks for GPUs (%j) gets whole ones, and any other Pod sees none", (gpus, resources, hidden) => {
    const pod = podOf(sent({ resources: { cores: 1, memoryBytes: 0, ...gpus } }), SETTINGS);
    const [container] = (pod as typeof PLAIN).spec.containers;
    expect(container!.resources).toMatchObject(resources);
    expect(container!.env.map(({ name }) => name)).toEqual(["REPRISE_POD", "REPRISE_NODE", ...hidden]);
  });

  test("with a claim sees its two folders in the claim and nothing else", () => {
    const pod = podOf(sent(), { ...SETTINGS, claim: { name: "reprise-data", root: "/data" } });
    expect(pod).toMatchObject({
      spec: {
        containers: [
          {
            volumeMounts: [
              { name: "data", mountPath: "/data/workspaces/w", subPath: "workspaces/w" },
              { name: "data", mountPath: "/data/jobs/kubernetes/1/1", subPath: "jobs/kubernetes/1/1" },
            ],
          },
        ],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "reprise-data" } }],
      },
    });
  });

  test.each<[string, Partial<Job>, Partial<PodSettings>]>([
    ["names no image, and on Kubernetes each step runs in one", {}, { defaultImage: undefined }],
    ['"a b" is not the name of an image', { image: "a b" }, {}],
    ["is not in the claim c, which is mounted at /other", {}, { claim: { name: "c", root: "/other" } }],
  ])("is refused: %s", (sentence, change, settings) => {
    expect(() => podOf(sent(change), { ...SETTINGS, ...settings })).toThrow(sentence);
  });
});
