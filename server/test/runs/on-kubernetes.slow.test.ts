import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith, uniqueSleep } from "#backends/backend-fixture";
import { onKubernetes, sharedKubernetes } from "#backends/kubernetes/kubernetes-fixture";
import { TEST_IMAGE } from "#backends/kubernetes/started-kubernetes-fixture";
import { kubernetesProblem } from "#backends/kubernetes/kubernetes-backend";
import { giveRights } from "#backends/kubernetes/opened-fixture";
import { RIGHTS } from "#backends/kubernetes/rights";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName?: string };
    readonly status?: { readonly phase?: string };
  }[];
}

const PODS = "/api/v1/namespaces/default/pods";

/** Runs of a real server whose jobs go to a real Kubernetes. Each command adds a line to a file: none may be there twice. */
onKubernetes(() =>
  describe("a run on Kubernetes", () => {
    const cluster = sharedKubernetes();
    let data: Awaited<ReturnType<typeof temporaryFolder>>;
    let server: RealServer;

    const start = (environment: Readonly<Record<string, string>> = {}) =>
      startRealServer(data.folder, {
        REPRISE_BACKENDS: "kubernetes,local",
        REPRISE_KUBERNETES_CONFIG: cluster().configFor("reprise-token"),
        REPRISE_DEFAULT_IMAGE: TEST_IMAGE,
        REPRISE_PULL_IMAGES: "missing",
        REPRISE_PULL_TIMEOUT: "20s",
        ...environment,
      });
    const create = async (steps: readonly object[]) => {
      const document = { workflow: { type: "serial", specification: { steps } } };
      const { body } = await call("POST", "workflows", JSON.stringify(document), "&workflow_name=w");
      return String(body["workflow_id"]);
    };
    const call = (...words: Parameters<ReturnType<typeof client>["call"]>) =>
      client(server.url).call(...words);
    const begin = async (run: string) =>
      expect(await client(server.url).setStatus(run, "start")).toMatchObject({ status: 200 });
    const begun = async (...steps: readonly object[]) => {
      const run = await create(steps);
      await begin(run);
      return run;
    };
    const lines = async (run: string, name: string) => {
      const { text } = await client(server.url).download(run, name);
      return text.trim().split("\n");
    };
    const jobs = async (run: string) => String((await call("GET", `workflows/${run}/logs`)).body["logs"]);
    const status = async (run: string) => JSON.stringify((await call("GET", `workflows/${run}/status`)).body);
    const restart = async (environment: Readonly<Record<string, string>> = {}) => {
      await server.stop();
      server = await start(environment);
    };
    const hasBegun = async (run: string) => {
      await expect.poll(() => lines(run, "count")).toEqual(["ran"]);
    };
    const ends = async (run: string, how: string) => {
      expect(await client(server.url).ended(run)).toMatchObject({ status: how });
      expect(await lines(run, "count")).toEqual(["ran"]);
    };
    const pods = async () => (await cluster().call<Pods>("GET", PODS)).items;
    const only = async () => {
      const found = await pods();
      expect(found).toHaveLength(1);
      return found[0]!;
    };
    const COUNTED = "echo ran >> count";

    beforeAll(async () => {
      data = await temporaryFolder();
      await giveRights(cluster(), RIGHTS);
      server = await start();
    });
    afterAll(async () => {
      await server?.stop();
      await data?.remove();
    });

    test("steps run in Pods, as their users, and a step for the local backend on the server's machine", async () => {
      const run = await begun(
        {
          name: "first",
          compute_backend: "kubernetes",
          environment: TEST_IMAGE,
          kubernetes_uid: 1500,
          kubernetes_memory_limit: "64Mi",
          commands: ["echo $$REPRISE_NODE $$FROM_IMAGE $$(id -u) $$(id -g) > where; echo printed"],
        },
        { name: "second", commands: ["echo $$REPRISE_NODE >> where"] },
        { name: "third", compute_backend: "local", commands: ["echo here$$REPRISE_NODE >> where"] },
      );
      expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
      expect(await lines(run, "where")).toEqual([
        expect.stringMatching(/^node[12] yes 1500 0$/),
        expect.stringMatching(/^node[12]$/),
        "here",
      ]);
      const logs = await jobs(run);
      expect(logs).toContain("printed");
      expect(logs).toContain('"compute_backend":"Kubernetes"');
      await expect.poll(pods).toEqual([]);
    });

    test.each(["beginning-recorded:1", "job-submitted:1"])(
      "a server that is killed at %s leaves a job that runs once",
      async (point) => {
        await restart({ CRASH_AT: point });
        const run = await create([{ name: "count", commands: [COUNTED] }]);
        // The server may die before it replies.
        await Promise.allSettled([begin(run)]);
        await server.exited;
        server = await start();
        await ends(run, "finished");
      },
    );

    test("a run waits while the API server does not answer, and its command runs once", async () => {
      const run = await create([{ name: "count", commands: [COUNTED] }]);
      cluster().leave();
      await begin(run);
      await expect.poll(() => status(run)).toContain("does not answer");
      cluster().comeBack();
      await ends(run, "finished");
    });

    test("a job outlives its API server", async () => {
      const run = await begun({ name: "count", commands: [`${COUNTED}; sleep 3; echo more`] });
      await hasBegun(run);
      cluster().kill("kube-apiserver");
      await expect.poll(() => jobs(run)).toContain("more");
      await ends(run, "finished");
      cluster().up();
      await expect.poll(pods).toEqual([]);
    });

    test("a Pod that somebody deletes fails the run, and its command ran once", async () => {
      const run = await begun({ name: "count", commands: [`${COUNTED}; sleep 100`] });
      await hasBegun(run);
      await cluster().call("DELETE", `${PODS}/${(await only()).metadata.name}`);
      await ends(run, "failed");
      expect(await jobs(run)).toContain("Kubernetes ended the job");
    });

    test("a Pod that somebody deletes by force fails the run, and its command ran once", async () => {
      const run = await begun({ name: "count", commands: [`${COUNTED}; sleep 100`] });
      await hasBegun(run);
      await cluster().call("DELETE", `${PODS}/${(await only()).metadata.name}?gracePeriodSeconds=0`);
      await ends(run, "failed");
    });

    test("a Pod that is evicted fails the run in the words of Kubernetes, and its command ran once", async () => {
      const run = await begun({ name: "count", commands: [`${COUNTED}; sleep 100`] });
      await hasBegun(run);
      const { name } = (await only()).metadata;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
      await cluster().call("POST", `${PODS}/${name}/eviction`, eviction);
      await ends(run, "failed");
      expect(await jobs(run)).toContain("Kubernetes ended the job");
    });

    test("a step waits for a GPU until a node has one, and gets it", async () => {
      const run = await begun({
        name: "train",
        gpus: 2,
        commands: ["echo $$NVIDIA_VISIBLE_DEVICES > devices"],
      });
      await expect.poll(() => status(run)).toMatch(/has no node for the job: .*Insufficient nvidia.com\/gpu/);
      const gpus = { "nvidia.com/gpu": "2" };
      const change = { status: { capacity: gpus, allocatable: gpus } };
      await cluster().patch("/api/v1/nodes/node1/status", change, "merge-patch+json");
      expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
      // No device plugin of this cluster names the devices.
      expect(await lines(run, "devices")).toEqual([""]);
    });

    test("doctor names each right that a user lacks", async () => {
      const kubeconfig = cluster().configFor("scheduler-token");
      expect(await kubernetesProblem({ kubeconfig, namespace: "elsewhere" })).toMatch(
        /^Kubernetes does not let this server create pods \(namespace elsewhere\)\./,
      );
      expect(await kubernetesProblem({ kubeconfig: cluster().configFor("reprise-token") })).toBeUndefined();
    });

    test("an image that no registry has ends the wait after its limit, with the words of the node", async () => {
      const run = await begun({
        name: "absent",
        environment: "example.invalid/no/such:1",
        commands: ["true"],
      });
      await expect
        .poll(() => status(run))
        .toMatch(/Kubernetes tries to get the image of the job \((ErrImagePull|ImagePullBackOff)\)/);
      expect(await client(server.url).ended(run)).toMatchObject({ status: "failed" });
      expect(await jobs(run)).toContain("and has tried for 20 s");
      await expect.poll(pods).toEqual([]);
    });

    test("a job that no node can take waits with the reason, and a stop removes it", async () => {
      const run = await begun({ name: "big", kubernetes_memory_limit: "900Gi", commands: ["true"] });
      await expect
        .poll(() => status(run))
        .toMatch(/Kubernetes has no node for the job: .*Insufficient memory/);
      expect(await client(server.url).setStatus(run, "stop")).toMatchObject({ status: 200 });
      expect(await client(server.url).ended(run)).toMatchObject({ status: "stopped" });
      await expect.poll(pods).toEqual([]);
    });

    test("a child that the kernel kills for memory ends the job out of memory, although the script goes on", async () => {
      const hog = "bash -c 'x=$$(head -c 100000000 /dev/zero | tr \"\\\\0\" x); sleep 1' || true";
      const run = await begun({
        name: "hog",
        kubernetes_memory_limit: "64Mi",
        commands: [`${COUNTED}; ${hog}`],
      });
      await ends(run, "failed");
      expect(await jobs(run)).toContain("Out of memory");
    });

    test("a stop ends all running work, with processes that left the job", async () => {
      const long = uniqueSleep();
      const run = await begun({ name: "count", commands: [`setsid ${long} & ${COUNTED}; ${long}`] });
      await hasBegun(run);
      expect(await client(server.url).setStatus(run, "stop")).toMatchObject({ status: 200 });
      expect(await client(server.url).ended(run)).toMatchObject({ status: "stopped" });
      await expect.poll(() => processesWith(long)).toEqual([]);
      await expect.poll(pods).toEqual([]);
    });

    test("a job on a node that does not answer has no verdict until the node is back", async () => {
      const run = await begun({ name: "count", commands: [`${COUNTED}; sleep 1000`] });
      await hasBegun(run);
      await expect.poll(async () => (await only()).status?.phase).toBe("Running");
      const pod = await only();
      const node = pod.spec.nodeName === "node1" ? 1 : 2;
      cluster().stopNode(node);
      await expect.poll(() => status(run)).toContain(`The node node${node} of the job does not answer`);
      await cluster().call("DELETE", `${PODS}/${pod.metadata.name}?gracePeriodSeconds=0`);
      await expect.poll(() => status(run)).toContain(`The node node${node} of the job has been silent since`);
      cluster().up();
      await ends(run, "failed");
      expect(await jobs(run)).toContain("ended without recording how the job ended");
    });

    test("a job whose node was deleted is lost, and its command ran once", async () => {
      const run = await begun({ name: "count", commands: [`${COUNTED}; sleep 1000`] });
      await hasBegun(run);
      const pod = await only();
      const node = pod.spec.nodeName === "node1" ? 1 : 2;
      cluster().stopNode(node);
      await cluster().call("DELETE", `/api/v1/nodes/node${node}`);
      // The garbage collector of Kubernetes does this after a minute.
      await cluster().call("DELETE", `${PODS}/${pod.metadata.name}?gracePeriodSeconds=0`);
      await ends(run, "failed");
      expect(await jobs(run)).toContain("ended without recording how the job ended");
      cluster().up();
    });
  }),
);
