import { expect, test } from "vitest";
import { listedPod, maybeWhyEnded } from "#backends/kubernetes/listed-pod";
import type { Pod, PodCondition } from "#backends/kubernetes/pod";

const AT = "2026-11-27T10:00:00Z";
const scheduled: PodCondition = { type: "PodScheduled", status: "True", lastTransitionTime: AT };
const listed = (status: Pod["status"], more: Partial<Pod> = {}, afterMs = 1000) =>
  listedPod(
    {
      metadata: { name: "reprise-1", ...more.metadata },
      spec: { nodeName: "n1", ...more.spec },
      ...(status && { status }),
    },
    { nowMs: Date.parse(AT) + afterMs, pullMaxMs: 60_000 },
  );
const waiting = (reason: string, message = "no such host") => ({
  phase: "Pending",
  conditions: [scheduled],
  containerStatuses: [{ name: "sidecar" }, { name: "job", state: { waiting: { reason, message } } }],
});
const ended = (exitCode: number, reason: string, phase = "Failed") => ({
  phase,
  containerStatuses: [{ name: "sidecar" }, { name: "job", state: { terminated: { exitCode, reason } } }],
});
const running = (...conditions: readonly PodCondition[]) => ({
  phase: "Running",
  conditions,
  containerStatuses: [{ name: "sidecar" }, { name: "job", state: { running: {} } }],
});
const ready = (status: string): PodCondition => ({ type: "Ready", status });
const disrupted: PodCondition = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};
const REMOVED = { metadata: { name: "reprise-1", deletionTimestamp: AT } };

test.each<[string, Pod["status"], string, string]>([
  ["new", undefined, "waiting", "Kubernetes prepares the container of the job on the node n1"],
  [
    "without a node",
    {
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: "0/2 nodes are available: 2 Insufficient memory.",
        },
      ],
    },
    "waiting",
    "Kubernetes has no node for the job: 0/2 nodes are available: 2 Insufficient memory",
  ],
  [
    "whose image is missing",
    waiting("ErrImagePull"),
    "waiting",
    "Kubernetes tries to get the image of the job (ErrImagePull): no such host",
  ],
  [
    "whose image has no valid name",
    waiting("InvalidImageName"),
    "hopeless",
    "Kubernetes cannot get the image of the job (InvalidImageName): no such host.",
  ],
  [
    "whose container cannot be made yet",
    waiting("CreateContainerConfigError", "no such folder"),
    "waiting",
    "Kubernetes tries to make the container of the job (CreateContainerConfigError): no such folder",
  ],
  ["that runs", running(ready("True")), "active", "Kubernetes runs the job."],
  ["that ended", ended(0, "Completed", "Succeeded"), "gone", "Kubernetes says that the script ended."],
  [
    "whose script failed",
    ended(126, "Error"),
    "gone",
    "Kubernetes says that the script ended with exit code 126: the image may have no /bin/sh, or the node may not see the data folder.",
  ],
  ["out of memory", ended(137, "OOMKilled"), "gone", "Out of memory: the kernel ended it at its limit."],
  [
    "that was evicted",
    { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
    "gone",
    "Kubernetes ended the Pod of the job (Evicted): The node was low on resource: memory.",
  ],
  [
    "that a controller gave up",
    {
      phase: "Failed",
      conditions: [{ ...disrupted, reason: "DeletionByPodGC", message: "PodGC: node not found" }],
    },
    "unknown",
    "Kubernetes gave the Pod of the job up: PodGC: node not found.",
  ],
  [
    "that failed and still runs",
    { ...running(), phase: "Failed" },
    "unknown",
    "Kubernetes gave the Pod of the job up: somebody deleted it.",
  ],
  [
    "unknown",
    { phase: "Unknown" },
    "unknown",
    "Kubernetes does not know whether the Pod of the job still runs.",
  ],
])("a Pod %s", (_, status, phase, sentence) => {
  expect(listed(status)).toMatchObject({ outsideId: "reprise-1", phase, sentence });
});

test("an image that was pulled in vain for its limit ends the wait", () => {
  expect(listed(waiting("ImagePullBackOff"), {}, 61_000)).toEqual({
    outsideId: "reprise-1",
    phase: "hopeless",
    sentence:
      "Kubernetes cannot get the image of the job and has tried for 1 min (ImagePullBackOff): no such host.",
  });
});

test("the reason of an end that only Kubernetes knows comes with it", () => {
  expect(listed(ended(137, "OOMKilled"))).toMatchObject({ reason: "out-of-memory" });
  expect(listed({ phase: "Failed", reason: "DeadlineExceeded" })).toMatchObject({ reason: "time-limit" });
});

test("the gates of a waiting Pod are in its sentence", () => {
  const spec = { schedulingGates: [{ name: "kueue.x-k8s.io/admission" }] };
  expect(listed({ phase: "Pending" }, { spec })).toMatchObject({
    phase: "waiting",
    sentence: "Kubernetes holds the job back (kueue.x-k8s.io/admission)",
  });
});

test("a Pod that Kueue or Kubernetes ends has the reason, and a Pod that somebody deletes has none", () => {
  const why = (conditions: readonly PodCondition[]) =>
    maybeWhyEnded({
      metadata: { name: "reprise-1", deletionTimestamp: "2026-11-28T01:00:00Z" },
      status: { conditions },
    });
  const preempted = { status: "True", reason: "WorkloadEvicted", message: "Preempted by  another." };
  expect(why([{ type: "TerminationTarget", ...preempted }])).toBe(
    "Kubernetes ended the job: Preempted by another.",
  );
  expect(why([{ type: "DisruptionTarget", ...preempted }])).toContain("Preempted by another");
  expect(why([{ type: "TerminationTarget", ...preempted, status: "False" }])).toBeUndefined();
  expect(why([])).toBeUndefined();
});

test("a node that does not answer is a concern, and no verdict", () => {
  expect(listed(running(ready("True"))).concern).toBeUndefined();
  expect(listed(running(ready("False"))).concern).toBe(
    "The node n1 of the job does not answer to Kubernetes. The job may still run there.",
  );
  expect(listed(running(ready("False"), disrupted), REMOVED)).toMatchObject({
    phase: "active",
    concern: expect.stringContaining(
      "The Pod is being removed: Taint manager: deleting due to NoExecute taint.",
    ),
  });
});
