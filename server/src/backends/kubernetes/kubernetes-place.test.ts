import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BackendAwayError } from "#backends/backend";
import { jobOf } from "#backends/backend-fixture";
import { type FakeApi, RECORDED, startFakeApi } from "#backends/kubernetes/fake-api-fixture";
import { KubernetesPlace } from "#backends/kubernetes/kubernetes-place";
import type { Pod } from "#backends/kubernetes/pod";
import { RIGHTS } from "#backends/kubernetes/rights";
import type { SentJob } from "#backends/record/place";
import { systemClock } from "#plumbing/clock";

const SENT: SentJob = {
  name: "reprise-1",
  job: jobOf("fit", { image: "python:3.12" }),
  workspaceFolder: "/data/w",
  orderFile: "/data/r/order",
  saidFile: "/data/r/said",
};
const PODS = "/api/v1/namespaces/jobs/pods";
const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "list",
  WATCH: "watch",
  DELETE: "delete",
};
/** Returns the right that a call needs. */
function verbOf(call: string): string {
  const [method, path = ""] = call.split(" ");
  // A call of an existing Pod names it.
  const verb = method === "GET" && /\/pods\/./.test(path) ? "get" : VERBS[method!]!;
  return `${verb} ${/\/(pods|nodes)\b/.exec(path)![1]}`;
}
const DIGEST = `sha256:${"a".repeat(64)}`;
const running = (imageID: string): Pod => ({
  metadata: { name: "reprise-1" },
  spec: { nodeName: "n1" },
  status: { phase: "Running", containerStatuses: [{ name: "job", imageID, state: { running: {} } }] },
});

describe("Kubernetes as a place of jobs", () => {
  let api: FakeApi;
  let place: KubernetesPlace;
  let tokens: string[];
  beforeEach(async () => {
    api = await startFakeApi();
    tokens = ["first", "second"];
    place = new KubernetesPlace({
      connection: {
        server: api.url,
        namespace: "jobs",
        credentials: async () => ({ token: tokens[0] }),
        forget: () => void tokens.shift(),
      },
      settings: { records: "token", user: { uid: 1, gid: 1 }, pullImages: "missing", pullTimeoutMs: 1000 },
      clock: systemClock,
    });
  });
  afterEach(() => {
    place.close();
    api.close();
  });
  const phases = async (isWhole = false) => {
    const { jobs } = await place.list({ isWhole });
    return [...jobs.values()].flat().map(({ phase }) => phase);
  };
  const count = (call: string) => api.calls.filter((one) => one === call).length;

  test("a creation whose answer is lost is repeated without a second Pod", async () => {
    api.next("POST", "lost");
    await expect(place.send(SENT)).rejects.toThrow(BackendAwayError);
    expect(await place.send(SENT)).toBe("reprise-1");
    expect([...api.pods.keys()]).toEqual(["reprise-1"]);
  });

  test.each(["forbidden", "quota", "noNamespace", "tooMany"] as const)(
    "an answer about the cluster is weather, in its own words: %s",
    async (kind) => {
      api.next("POST", RECORDED[kind]);
      const sending = place.send(SENT);
      const { message } = RECORDED[kind].body as { message: string };
      await expect(sending).rejects.toThrow(BackendAwayError);
      await expect(sending).rejects.toThrow(`Kubernetes: creating the Pod reprise-1 failed: ${message}.`);
    },
  );

  test.each(["policy", "invalid"] as const)("an answer about the Pod is a refusal: %s", async (kind) => {
    api.next("POST", RECORDED[kind]);
    const error = await place.send(SENT).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(BackendAwayError);
    expect(String(error)).toContain("reprise-1");
  });

  test("refused credentials are read again, once", async () => {
    api.next("POST", RECORDED.unauthorized);
    expect(await place.send(SENT)).toBe("reprise-1");
    expect(tokens).toEqual(["second"]);
    api.next("DELETE", RECORDED.unauthorized);
    api.next("DELETE", RECORDED.unauthorized);
    await expect(place.end(["reprise-1"])).rejects.toThrow("Unauthorized");
  });

  test("Pods are listed once and then followed", async () => {
    expect(await phases()).toEqual([]);
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(1);
    await place.send(SENT);
    expect(await phases()).toEqual(["waiting"]);
    api.change("reprise-1", running(DIGEST));
    await expect.poll(() => phases()).toEqual(["active"]);
    expect(place.takeNews()).toEqual(["reprise-1"]);
    expect(place.takeNews()).toEqual([]);
    api.change("reprise-1", undefined);
    await expect.poll(() => phases()).toEqual([]);
    expect(count(`GET ${PODS}`)).toBe(1);
    await phases(true);
    expect(count(`GET ${PODS}`)).toBe(2);
  });

  test.each<[string, (fake: FakeApi) => void]>([
    ["an ERROR event", (fake) => fake.tell({ type: "ERROR", object: RECORDED.expired.body })],
    ["a broken line", (fake) => fake.tell("x" as unknown as object)],
    ["a cut connection", (fake) => fake.endWatches("cut")],
  ])("%s makes the next reader list again", async (_, spoil) => {
    await phases();
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(1);
    spoil(api);
    await expect.poll(async () => (await phases(), count(`GET ${PODS}`))).toBe(2);
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(2);
    api.change("reprise-1", running(DIGEST));
    await expect.poll(() => phases()).toEqual(["active"]);
  });

  test("a watch that the API server ends after its time is continued without a listing", async () => {
    await phases();
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(1);
    api.endWatches("end");
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(2);
    api.change("reprise-1", running(DIGEST));
    await expect.poll(() => phases()).toEqual(["active"]);
    expect(count(`GET ${PODS}`)).toBe(1);
  });

  test("the deletion of an earlier Pod of a name leaves the later one", async () => {
    await phases();
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(1);
    api.change("reprise-1", running(DIGEST));
    await expect.poll(() => phases()).toEqual(["active"]);
    api.tell({ type: "DELETED", object: { metadata: { name: "reprise-1", uid: "another" } } });
    api.change("reprise-2", { metadata: { name: "reprise-2" } });
    await expect.poll(() => phases()).toEqual(["active", "waiting"]);
  });

  test("the digest of an image is awaited until the node tells it", async () => {
    await phases();
    expect(place.imageOf("reprise-1")).toBeUndefined();
    await place.send(SENT);
    expect(place.imageOf("reprise-1")).toEqual({ digest: undefined });
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(1);
    api.change("reprise-1", running(`docker.io/library/python@${DIGEST}`));
    await expect.poll(() => place.imageOf("reprise-1")?.digest).toBe(DIGEST);
  });

  test("a listing that expires during the reading begins again", async () => {
    api.next("GET", RECORDED.expired);
    expect(await phases(true)).toEqual([]);
    expect(count(`GET ${PODS}`)).toBe(2);
  });

  test("the calls need the rights of `rights.ts`, and no more", async () => {
    await place.send(SENT);
    await phases(true);
    await phases();
    await expect.poll(() => count(`WATCH ${PODS}`)).toBe(1);
    await place.end(["reprise-1"]);
    const used = new Set(api.calls.map(verbOf));
    expect([...used].toSorted()).toEqual(RIGHTS.map((right) => `${right.verb} ${right.resource}`).toSorted());
    expect(await place.problem()).toBeUndefined();
  });

  test("each missing right is named with its verb", async () => {
    api.denied.add("watch pods").add("delete pods").add("list nodes");
    expect(await place.problem()).toMatch(
      /^Kubernetes does not let this server watch pods, delete pods, list nodes \(namespace jobs\)\./,
    );
  });

  test("an API server that does not answer is a problem in a sentence", async () => {
    api.close();
    expect(await place.problem()).toContain("does not answer (ECONNREFUSED)");
  });

  test("without the right to list nodes, no node counts as one that answers", async () => {
    await phases(true);
    api.next("GET", { status: 200, body: { metadata: {}, items: [] } });
    api.next("GET", RECORDED.nodesForbidden);
    expect(await place.list({ isWhole: true })).toMatchObject({
      answeringNodes: new Set(),
      absentNode: "the server may not list nodes",
    });
  });
});
