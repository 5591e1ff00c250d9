import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobOf, watchEnds } from "#backends/backend-fixture";
import { connectionOf } from "#backends/kubernetes/api/connection";
import { kubernetesProblem } from "#backends/kubernetes/kubernetes-backend";
import { onKubernetes, sharedKubernetes } from "#backends/kubernetes/kubernetes-fixture";
import { KubernetesPlace } from "#backends/kubernetes/kubernetes-place";
import { giveRights, openOn } from "#backends/kubernetes/opened-fixture";
import { RECORDS_LABEL } from "#backends/kubernetes/pod";
import { rightsFor } from "#backends/kubernetes/rights";
import { systemRandom } from "#plumbing/ids";

const QUEUE = { "kueue.x-k8s.io/queue-name": "physics" };
const PARTS = { labels: QUEUE, spec: {} };
const PODS = "/api/v1/namespaces/default/pods";
const GROUP = "kueue.x-k8s.io";
const WORKLOADS = `/apis/${GROUP}/v1beta1/namespaces/default/workloads`;
const PREEMPTED =
  "Preempted to accommodate a workload (UID: 7, JobUID: 8) due to prioritization in the ClusterQueue";

/**
 * Pods in a queue of Kueue, on a real API server. Kueue's controller is not run: the test writes the objects and the conditions
 * that the controller writes.
 */
onKubernetes(() =>
  describe("a job in a queue of Kueue", () => {
    const cluster = sharedKubernetes();
    let folder: string;
    let nowMs = 0;
    let place: KubernetesPlace;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
      const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const schema = { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } };
      await cluster().call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: {
          name: `workloads.${GROUP}`,
          annotations: { "api-approved.kubernetes.io": "unapproved, a test" },
        },
        spec: {
          group: GROUP,
          scope: "Namespaced",
          names: { plural: "workloads", singular: "workload", kind: "Workload" },
          versions: [{ name: "v1beta1", served: true, storage: true, schema, subresources: { status: {} } }],
        },
      });
      await giveRights(cluster(), rightsFor({ parts: PARTS }));
      place = new KubernetesPlace({
        connection: connectionOf({ kubeconfig: cluster().configFor("reprise-token") }),
        settings: {
          records: "held",
          user: { uid: 0, gid: 0 },
          pullImages: "never",
          pullTimeoutMs: 1000,
          parts: PARTS,
        },
        clock: { now: () => nowMs },
      });
    });
    afterAll(async () => {
      place?.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** Makes a Pod as Kueue's webhook changes one, and its Workload. Returns a function that sets the conditions. */
    const held = async (name: string) => {
      const containers = [{ name: "job", image: "reprise-test:1" }];
      const pod = await cluster().call<{ metadata: { uid: string } }>("POST", PODS, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels: { ...QUEUE, [RECORDS_LABEL]: "held" } },
        spec: { containers, schedulingGates: [{ name: `${GROUP}/admission` }] },
      });
      const owner = { apiVersion: "v1", kind: "Pod", name, uid: pod.metadata.uid };
      await cluster().call("POST", WORKLOADS, {
        apiVersion: `${GROUP}/v1beta1`,
        kind: "Workload",
        metadata: { name: `pod-${name}`, ownerReferences: [owner] },
        spec: { queueName: "physics" },
      });
      return (conditions: readonly object[], spec: object = {}) =>
        cluster()
          .patch(`${WORKLOADS}/pod-${name}`, { spec }, "merge-patch+json")
          .then(() =>
            cluster().patch(
              `${WORKLOADS}/pod-${name}/status`,
              { status: { conditions } },
              "merge-patch+json",
            ),
          );
    };
    const sentence = async (name: string) => {
      nowMs += 60_000;
      const { jobs } = await place.list({ isWhole: true });
      return jobs.get(name)![0]!.sentence;
    };

    test("waits with the words of its Workload", async () => {
      await expect
        .poll(() =>
          cluster()
            .call("GET", WORKLOADS)
            .then(() => "served", String),
        )
        .toBe("served");
      const set = await held("reprise-1");
      expect(await sentence("reprise-1")).toBe("Kueue has not admitted the job from the queue physics");
      const few = "couldn't assign flavors to pod set main: insufficient unused quota for cpu, 1 more needed";
      const pending = { type: "QuotaReserved", status: "False", reason: "Pending", message: few };
      await set([pending]);
      expect(await sentence("reprise-1")).toBe(`Kueue waits for quota in the queue physics: ${few}`);
      const evicted = { type: "Evicted", status: "True", reason: "Preempted", message: PREEMPTED };
      await set([evicted, pending]);
      expect(await sentence("reprise-1")).toBe(
        `Kueue waits for quota in the queue physics, after Kueue stopped the job: ${PREEMPTED}: ${few}`,
      );
      await set([{ ...pending, status: "True" }]);
      expect(await sentence("reprise-1")).toBe("Kueue waits for admission checks of the queue physics");
      await set([{ ...evicted, message: "The workload is deactivated" }], { active: false });
      expect(await sentence("reprise-1")).toBe(
        "Kueue has taken the job out of the queue physics: The workload is deactivated",
      );
    });

    test("that is preempted ends with the reason, and the command ran once", async () => {
      const workspaceFolder = path.join(folder, "workspace");
      const backend = openOn(cluster(), folder);
      const ends = watchEnds(backend);
      const id = systemRandom.uuid();
      const job = jobOf(`echo ran >> ${folder}/workspace/count; sleep 1000`);
      await mkdir(workspaceFolder);
      await backend.submit({ id, job, workspaceFolder, hostToken: backend.hostToken });
      const count = () => readFile(path.join(workspaceFolder, "count"), "utf8").catch(() => "");
      await expect.poll(count).toBe("ran\n");
      // Kueue sets the condition, and then deletes the Pod.
      const type = "TerminationTarget";
      const conditions = [{ type, status: "True", reason: "WorkloadEvicted", message: PREEMPTED }];
      const pod = `${PODS}/reprise-${id}`;
      await cluster().patch(`${pod}/status`, { status: { conditions } }, "strategic-merge-patch+json");
      await cluster().call("DELETE", pod);
      expect(await ends.of(id)).toMatchObject({
        reason: "cancelled",
        detail: `Kubernetes ended the job: ${PREEMPTED}.`,
      });
      expect(await count()).toBe("ran\n");
      await backend.close();
    });

    test("needs the right to list Workloads, and doctor names it only if Pods are queued", async () => {
      const podFile = path.join(folder, "pod.yaml");
      await writeFile(podFile, JSON.stringify({ labels: QUEUE }));
      const own = { kubeconfig: cluster().configFor("reprise-token") };
      expect(await kubernetesProblem(own, { podFile })).toBeUndefined();
      const source = { kubeconfig: cluster().configFor("scheduler-token"), namespace: "elsewhere" };
      expect(await kubernetesProblem(source, { podFile })).toContain("list workloads (namespace elsewhere)");
      expect(await kubernetesProblem(source)).not.toContain("workloads");
    });
  }),
);
