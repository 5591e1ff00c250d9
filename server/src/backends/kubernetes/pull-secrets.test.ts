import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BackendAwayError } from "#backends/backend";
import { jobOf } from "#backends/backend-fixture";
import { type FakeApi, RECORDED, startFakeApi } from "#backends/kubernetes/fake-api-fixture";
import { KubernetesPlace } from "#backends/kubernetes/kubernetes-place";
import type { Pod } from "#backends/kubernetes/pod";
import type { PullSecretSettings } from "#backends/kubernetes/pull-secrets";
import { rightsFor } from "#backends/kubernetes/rights";
import type { SentJob } from "#backends/record/place";
import { systemClock } from "#plumbing/clock";

const REGISTRY = "registry.example.org";
const AUTH = Buffer.from("ada:pass").toString("base64");

function sentWith(registry?: string, image = `${REGISTRY}/lab/fit:1`): SentJob {
  const auths = registry === undefined ? {} : { [registry]: { auth: AUTH }, other: { auth: AUTH } };
  return {
    name: "reprise-1",
    job: jobOf("fit", { image }),
    workspaceFolder: "/data/w",
    orderFile: "/data/r/order",
    saidFile: "/data/r/said",
    ...(registry !== undefined && {
      secrets: {
        environment: {},
        files: new Map([["auth.json", Buffer.from(JSON.stringify({ auths }))]]),
      },
    }),
  };
}

describe("the registry credentials of a user on Kubernetes", () => {
  let api: FakeApi;
  let folder: string;
  const places: KubernetesPlace[] = [];
  beforeEach(async () => {
    api = await startFakeApi();
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-private-"));
  });
  afterEach(() => {
    for (const place of places.splice(0)) place.close();
    api.close();
    rmSync(folder, { recursive: true });
  });
  const open = (change: Partial<PullSecretSettings> = {}) => {
    const place = new KubernetesPlace({
      connection: { server: api.url, namespace: "jobs", credentials: async () => ({}) },
      settings: {
        records: "token",
        user: { uid: 1, gid: 1 },
        pullImages: "missing",
        pullTimeoutMs: 1000,
        pullSecrets: true,
        privateRepositories: path.join(folder, "private"),
        ...change,
      },
      clock: systemClock,
    });
    places.push(place);
    return place;
  };
  type Sent = Pod & {
    readonly spec: { readonly containers: readonly [{ readonly imagePullPolicy: string }] };
  };
  const pod = () => api.pods.get("reprise-1") as Sent;
  const secretCalls = () => api.calls.filter((call) => call.includes("/secrets"));

  test("are in a Secret with the name of the Pod, with the entry of one registry, until the job ends", async () => {
    const place = open();
    await place.list({ isWhole: false });
    await place.send(sentWith(REGISTRY));
    expect([...api.secrets]).toEqual([
      ["reprise-1", JSON.stringify({ auths: { [REGISTRY]: { auth: AUTH } } })],
    ]);
    expect(pod().spec).toMatchObject({
      imagePullSecrets: [{ name: "reprise-1" }],
      containers: [{ imagePullPolicy: "Always" }],
    });
    await place.end(["reprise-1"]);
    expect(api.secrets.size + api.pods.size).toBe(0);
  });

  test("come before the Secrets that the administrator gives to all Pods", async () => {
    await open({ parts: { spec: { imagePullSecrets: [{ name: "common" }] } } } as never).send(
      sentWith(REGISTRY),
    );
    expect(pod().spec).toMatchObject({ imagePullSecrets: [{ name: "reprise-1" }, { name: "common" }] });
  });

  test("make every server ask the registry before another user's Pod gets the image", async () => {
    await open().send(sentWith(REGISTRY));
    api.pods.clear();
    await open().send(sentWith());
    expect(pod().spec.containers[0].imagePullPolicy).toBe("Always");
    api.pods.clear();
    await open().send(sentWith(undefined, "python:3.12"));
    expect(pod().spec.containers[0].imagePullPolicy).toBe("IfNotPresent");
  });

  test("replace a Secret that an earlier try has left", async () => {
    api.secrets.set("reprise-1", "old");
    await open().send(sentWith(REGISTRY));
    expect(api.secrets.get("reprise-1")).toContain(AUTH);
  });

  test("are removed if the API server refuses the Pod, and stay if the answer is lost", async () => {
    const place = open();
    api.next("POST", { status: 201, body: {} });
    api.next("POST", RECORDED.policy);
    api.secrets.set("reprise-1", "put");
    await expect(place.send(sentWith(REGISTRY))).rejects.toThrow("violates PodSecurity");
    expect(api.secrets.size).toBe(0);
    api.secrets.set("reprise-1", "put");
    api.next("POST", { status: 201, body: {} });
    api.next("POST", "lost");
    await expect(place.send(sentWith(REGISTRY))).rejects.toThrow(BackendAwayError);
    expect(api.secrets.size).toBe(1);
  });

  test("are removed by a server that never saw the Pod", async () => {
    api.secrets.set("reprise-1", "left");
    await open().end(["reprise-1"]);
    expect(api.secrets.size).toBe(0);
  });

  test("cost no call for a job without credentials", async () => {
    const place = open();
    await place.list({ isWhole: false });
    await place.send(sentWith());
    await place.end(["reprise-1"]);
    expect(secretCalls()).toEqual([]);
  });

  test.each<[string, Partial<PullSecretSettings>]>([
    ["a server that gives none to Pods", { pullSecrets: false }],
    ["nodes that pull no images", { pullImages: "never" }],
  ])("are not used by %s", async (_, change) => {
    const place = open(change);
    await place.list({ isWhole: false });
    await place.send(sentWith(REGISTRY));
    await place.end(["reprise-1"]);
    expect(secretCalls()).toEqual([]);
  });

  test("that are not used, or are of another registry, are part of the sentence about the image", async () => {
    const sentence = async (change: Partial<PullSecretSettings>, registry: string) => {
      const place = open(change);
      await place.list({ isWhole: false });
      await place.send(sentWith(registry));
      const waiting = { reason: "ErrImageNeverPull", message: "no such image" };
      const status = { phase: "Pending", containerStatuses: [{ name: "job", state: { waiting } }] };
      api.change("reprise-1", { ...pod(), status });
      const { jobs } = await open(change).list({ isWhole: true });
      api.change("reprise-1", undefined);
      return jobs.get("reprise-1")![0]!.sentence;
    };
    expect(await sentence({ pullSecrets: false }, REGISTRY)).toContain("(--kubernetes-pull-secrets)");
    expect(await sentence({}, "elsewhere.example.org")).toContain(
      `Your secret auth.json holds no credentials for ${REGISTRY}`,
    );
  });

  test("need the rights of `rights.ts`, and none that reads a Secret", async () => {
    const place = open();
    api.secrets.set("reprise-1", "old");
    await place.send(sentWith(REGISTRY));
    await place.end(["reprise-1"]);
    const verbs = { POST: "create", DELETE: "delete" } as Readonly<Record<string, string>>;
    const used = new Set(secretCalls().map((call) => verbs[call.split(" ")[0]!]));
    const rights = rightsFor({ pullSecrets: true }).filter(({ resource }) => resource === "secrets");
    expect(used).toEqual(new Set(rights.map(({ verb }) => verb)));
    api.denied.add("create secrets");
    expect(await place.problem()).toContain("Kubernetes does not let this server create secrets");
    expect(await open({ pullSecrets: false }).problem()).toBeUndefined();
  });
});
