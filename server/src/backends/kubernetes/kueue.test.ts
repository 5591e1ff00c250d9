import { expect, test } from "vitest";
import type { ApiClient } from "#backends/kubernetes/api/api-client";
import { Kueue, maybeQueueOf } from "#backends/kubernetes/kueue";
import type { Pod } from "#backends/kubernetes/pod";

const HELD: Pod = {
  metadata: { name: "reprise-1", uid: "one", labels: { "kueue.x-k8s.io/queue-name": "physics" } },
  spec: { schedulingGates: [{ name: "kueue.x-k8s.io/admission" }] },
};
const GENERAL = "Kueue has not admitted the job from the queue physics";

function workload(uid: string, message: string) {
  const conditions = [{ type: "QuotaReserved", status: "False", message }];
  return { metadata: { ownerReferences: [{ uid }] }, status: { conditions } };
}

/** Returns a reader of Workloads whose listing takes a time, and the calls so far. */
function open(answers: readonly (object | Error)[], tookMs = 0) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const calls: string[] = [];
  const api = {
    connection: { namespace: "jobs" },
    async call({ path }: { readonly path: string }) {
      calls.push(path);
      clock.nowMs += tookMs;
      const answer = answers[calls.length - 1] ?? answers.at(-1)!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { kueue: new Kueue(api as unknown as ApiClient, clock), calls, clock };
}

test("no Workload is read unless Kueue holds a Pod", async () => {
  const { kueue, calls } = open([{ items: [] }]);
  const free = { ...HELD, spec: {} };
  await kueue.refresh([free, { ...HELD, metadata: { name: "other" } }]);
  expect(calls).toEqual([]);
  expect(maybeQueueOf(free)).toBeUndefined();
  expect(kueue.maybeReason(free)).toBeUndefined();
});

test("all pages of the Workloads are read, and each Pod has the words of one Workload", async () => {
  const pages = [
    { items: [workload("other", "no")], metadata: { continue: "more" } },
    { items: [workload("one", "1 more needed.")] },
  ];
  const { kueue, calls } = open(pages);
  await kueue.refresh([HELD]);
  expect(calls).toEqual([
    "/apis/kueue.x-k8s.io/v1beta1/namespaces/jobs/workloads?limit=500",
    "/apis/kueue.x-k8s.io/v1beta1/namespaces/jobs/workloads?limit=500&continue=more",
  ]);
  expect(kueue.maybeReason(HELD)).toBe("Kueue waits for quota in the queue physics: 1 more needed");
});

test("Workloads are read again after five seconds, and seldom if a listing takes long", async () => {
  const { kueue, calls, clock } = open([{ items: [] }], 1000);
  const readAt = async (nowMs: number) => {
    clock.nowMs = nowMs;
    await kueue.refresh([HELD]);
    return calls.length;
  };
  expect(await readAt(0)).toBe(1);
  expect(await readAt(20_000)).toBe(1);
  expect(await readAt(21_000)).toBe(2);
  const quick = open([{ items: [] }]);
  await quick.kueue.refresh([HELD]);
  quick.clock.nowMs = 5000;
  await quick.kueue.refresh([HELD]);
  expect(quick.calls).toHaveLength(2);
});

test("without the right to read Workloads, the queue is still named", async () => {
  const { kueue, clock } = open([{ items: [workload("one", "few")] }, new Error("cannot list resource")]);
  await kueue.refresh([HELD]);
  expect(kueue.maybeReason(HELD)).toContain("few");
  clock.nowMs = 60_000;
  await kueue.refresh([HELD]);
  expect(kueue.maybeReason(HELD)).toBe(GENERAL);
});
