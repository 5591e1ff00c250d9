import { beforeEach, describe, expect, test } from "vitest";
import type { Backend, JobListener } from "#backends/backend";
import { createBackendGates, type Passage } from "#runner/jobs/backend-gates";

/** A backend of which the gate uses the reports alone. */
let listeners: Set<JobListener>;
let rings: (() => void)[];
let open: (listener?: JobListener, ownerId?: string) => Passage;
/** Ids of the sent jobs, and the messages to each run. */
let sent: string[];
let told: string[];
let answers: Map<string, (sentence?: string) => void>;

beforeEach(() => {
  listeners = new Set();
  [rings, sent, told, answers] = [[], [], [], new Map()];
  const backend = {
    watch(listener: JobListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isHostBound: false,
  } as unknown as Backend;
  const clock = {
    after(_ms: number, callback: () => void) {
      const ring = () => callback();
      rings.push(ring);
      return () => void (rings = rings.filter((one) => one !== ring));
    },
  };
  const gates = createBackendGates(clock, 40);
  open = (listener = () => undefined, ownerId = "user") => gates.of(backend).open(ownerId, listener);
});

const queue = (passage: Passage, ...ids: string[]) => {
  for (const id of ids) {
    passage.queue({
      id,
      isInPlace: id.startsWith("known"),
      send() {
        sent.push(id);
        return new Promise((resolve) => answers.set(id, resolve));
      },
      onAway: (sentence) => void told.push(`${id}: ${sentence}`),
    });
  }
};
const answer = async (id: string, sentence?: string) => {
  answers.get(id)!(sentence);
  await new Promise((resolve) => setImmediate(resolve));
};
const numbered = (run: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${run}${index}`);

describe("submissions to a backend", () => {
  test("are 16 at a time for all runs, which take turns", async () => {
    const [one, other] = [open(), open()];
    queue(one, ...numbered("a", 20));
    queue(other, ...numbered("b", 20));
    expect(sent).toEqual(numbered("a", 16));
    for (const id of numbered("a", 4)) await answer(id);
    expect(sent.slice(16)).toEqual(["a16", "b0", "a17", "b1"]);
  });

  test("of a run that ends are not sent, and its passage settles when the last one is answered", async () => {
    const [one, other] = [open(), open()];
    queue(one, ...numbered("a", 20));
    queue(other, "b");
    one.withdraw();
    queue(one, "late");
    let isSettled = false;
    const settled = one.settled().then(() => (isSettled = true));
    for (const id of numbered("a", 15)) await answer(id);
    expect([sent.slice(16), isSettled]).toEqual([["b"], false]);
    await answer("a15", "away");
    await settled;
    expect(sent.slice(16)).toEqual(["b"]);
  });
});

describe("an absent backend", () => {
  test("is asked again by a single job after a pause, and gets all other jobs after the return", async () => {
    const [one, other] = [open(), open()];
    queue(one, ...numbered("a", 18));
    queue(other, "b");
    await answer("a0", "no answer");
    expect(told.toSorted()).toEqual(["a0", "a16", "a17", "b"].map((id) => `${id}: no answer`));
    // Answers of the calls that were under way.
    await answer("a1", "no answer");
    for (const id of numbered("a", 16).slice(2)) await answer(id);
    expect([sent.length, rings.length]).toEqual([16, 1]);
    queue(other, "late");
    expect(told.at(-1)).toBe("late: no answer");
    rings.shift()!();
    expect(sent.slice(16)).toEqual(["a0"]);
    await answer("a0", "still none");
    expect([sent.length, rings.length]).toEqual([17, 1]);
    rings.shift()!();
    expect(sent.slice(17)).toEqual(["b"]);
    await answer("b");
    expect(sent.slice(18)).toEqual(["a1", "late", "a0", "a16", "a17"]);
  });

  test("leaves no timer behind when the last run has left", async () => {
    const one = open();
    queue(one, "a");
    await answer("a", "no answer");
    one.close();
    expect([rings, listeners.size]).toEqual([[], 0]);
    queue(open(), "b");
    expect(sent).toEqual(["a", "b"]);
  });
});

test("a report reaches the run of its job alone, until the job has ended", () => {
  const heard: string[] = [];
  const [one, other] = ["one", "other"].map((run) =>
    open((id, { status }) => heard.push(`${run} ${id} ${status}`)),
  );
  one!.expect("a");
  other!.expect("b");
  expect(listeners.size).toBe(1);
  const [listener] = listeners;
  const end = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 } as const;
  listener!("a", { status: "running" });
  listener!("b", { status: "ended", end });
  listener!("b", { status: "ended", end });
  listener!("of nobody", { status: "running" });
  one!.close();
  listener!("a", { status: "ended", end });
  expect(heard).toEqual(["one a running", "other b ended"]);
});

describe("the places in the queue of a cluster", () => {
  const arrive = async (passage: Passage, ids: readonly string[]) => {
    for (const id of ids) {
      passage.expect(id);
      await answer(id);
    }
  };
  const end = (id: string) => {
    const [listener] = listeners;
    listener!(id, { status: "ended", end: { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 } });
  };

  test("are limited, and free again when a job ends or fails to be sent", async () => {
    const one = open();
    queue(one, ...numbered("a", 50));
    await arrive(one, numbered("a", 36));
    // The last tenth is for users with few jobs.
    expect(sent).toEqual(numbered("a", 36));
    end("a0");
    expect(sent.slice(36)).toEqual(["a36"]);
    one.forget("a1");
    expect(sent.slice(37)).toEqual(["a37"]);
  });

  test("go to the user with the fewest jobs, who need not wait until the jobs of another one end", async () => {
    const many = open(undefined, "many");
    queue(many, ...numbered("a", 60));
    await arrive(many, numbered("a", 36));
    const few = open(undefined, "few");
    queue(few, ...numbered("b", 9));
    expect(sent.slice(36)).toEqual(numbered("b", 4));
    await arrive(few, numbered("b", 4));
    for (const id of numbered("a", 3)) end(id);
    expect(sent.slice(40)).toEqual([]);
    for (const id of numbered("a", 8).slice(3)) end(id);
    expect(sent.slice(40)).toEqual(["b4", "b5", "b6", "b7"]);
  });

  test("are not needed by jobs that the cluster has already", async () => {
    const one = open();
    queue(one, ...numbered("a", 40));
    await arrive(one, numbered("a", 36));
    queue(one, "known1", "known2");
    expect(sent.slice(36)).toEqual(["known1", "known2"]);
  });
});
