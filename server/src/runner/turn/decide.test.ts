import { describe, expect, test } from "vitest";
import type { EngineEvent, Instruction } from "#engines/engine";
import type { Arrival } from "#runner/turn/arrivals";
import { collectResponses, decide, type Decision, resume } from "#runner/turn/decide";
import { jobIdOf, withJobIds } from "#runner/turn/job-id";
import { freshProgress, type Progress } from "#runner/turn/progress";
import { sift } from "#runner/turn/sift";
import type { Job, JobEnd } from "#workflow/job/job";

const WELL: JobEnd = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 };
const BADLY: JobEnd = { ...WELL, exitCode: 1 };
const FRESH = freshProgress("run", 5);

describe("the beginning of a run", () => {
  test("is recorded with the jobs that have capacity; other jobs wait", () => {
    const { record, orders, progress } = turn(
      FRESH,
      [{ kind: "begin" }],
      [[submit("a"), submit("b")]],
      ["a"],
    );
    expect(record).toMatchObject({ firstSeq: 5, moveTo: "running", events: [{ kind: "begun" }] });
    expect(record?.jobs.map((one) => [one.job.key, one.ordinal, one.isAdmitted])).toEqual([
      ["a", 0, true],
      ["b", 1, false],
    ]);
    expect([keys(orders.submit), keys(orders.enqueue)]).toEqual([["a"], ["b"]]);
    expect(progress).toMatchObject({ isBegun: true, nextSeq: 6, jobCount: 2 });
  });

  test("is not recorded while all first jobs wait, and is as soon as one has capacity", () => {
    const first = [[submit("a"), submit("b")]];
    const waiting = turn(FRESH, [{ kind: "begin" }], first);
    expect(waiting.record).toBeUndefined();
    expect(keys(waiting.orders.enqueue)).toEqual(["a", "b"]);
    const begun = turn(waiting.progress, [{ kind: "admitted", job: issued("b") }], first, ["b"]);
    expect(begun.record).toMatchObject({ moveTo: "running" });
    expect([keys(begun.orders.submit), keys(begun.orders.enqueue)]).toEqual([["b"], ["a"]]);
  });

  test("does not wait for capacity if there is something else to do", () => {
    const { record, orders } = turn(FRESH, [{ kind: "begin" }], [[submit("a"), LOOK]]);
    expect(record).toMatchObject({ moveTo: "running" });
    expect([keys(orders.enqueue), orders.answer]).toEqual([["a"], [LOOK]]);
  });

  test("is also the end of a run that has nothing to do", () => {
    const { record, closing } = turn(FRESH, [{ kind: "begin" }], [[{ do: "finish" }]]);
    expect(record).toBeUndefined();
    expect(closing).toMatchObject({
      hasJobs: false,
      record: { moveTo: "running", ending: { do: "finish" }, events: [{ kind: "begun" }] },
    });
  });
});

describe("the end of a job", () => {
  test("is recorded with the engine's next instructions", () => {
    const { record, orders } = turn(running("a"), [ended("a")], [[submit("b")]], ["b"]);
    expect(record?.ended).toEqual([{ id: idOf("a"), key: "a", end: WELL, seq: 6 }]);
    expect(record?.jobs).toMatchObject([{ ordinal: 1, isAdmitted: true }]);
    expect(keys(orders.submit)).toEqual(["b"]);
  });

  test("counts once, and only for the attempt that is outstanding", () => {
    const again = running("a", 2);
    expect(turn(again, [ended("a")], [[]]).record).toBeUndefined();
    const both = [ended("a", 2), ended("a", 2)];
    expect(turn(again, both, [[submit("b")]]).record?.ended).toHaveLength(1);
    expect(
      turn(again, [{ kind: "event", event: { kind: "written", id: "unknown" } }]).record,
    ).toBeUndefined();
  });

  test("and the capacity of another job are recorded together", () => {
    const before = running("a", undefined, "b");
    const { record, orders } = turn(before, [ended("a"), { kind: "admitted", job: issued("b") }], [[]]);
    expect([record?.ended.length, record?.admitted.map(({ id }) => id)]).toEqual([1, [idOf("b")]]);
    expect(keys(orders.submit)).toEqual(["b"]);
  });
});

describe("the end of a run", () => {
  test("is recorded with the last event if no job is left", () => {
    const { record, closing } = turn(running("a"), [ended("a")], [[{ do: "finish" }]]);
    expect(record).toBeUndefined();
    expect(closing?.hasJobs).toBe(false);
    expect(closing?.record).toMatchObject({ ended: [{ key: "a" }], ending: { do: "finish" } });
  });

  test("comes after the last event if jobs are left, and none of the new ones starts", () => {
    const fail: Instruction = { do: "fail", reason: "no" };
    const answers = [[submit("c")], [fail]];
    const arrivals = [ended("a"), ended("b", undefined, BADLY)];
    const { record, orders, closing } = turn(running("a", undefined, "b", "x"), arrivals, answers, ["c"]);
    expect(record?.ending).toBeUndefined();
    expect(record?.events).toHaveLength(2);
    expect(orders).toEqual({ submit: [], enqueue: [], answer: [], release: [] });
    expect(closing).toMatchObject({ hasJobs: true, record: { firstSeq: 8, ending: fail } });
  });

  test("by a stop passes over everything else that has arrived", () => {
    const { record, closing } = turn(running("a"), [ended("a"), { kind: "stop" }]);
    expect(record).toBeUndefined();
    expect(closing?.record).toMatchObject({ moveTo: "stopped", events: [{ kind: "stopped" }] });
  });

  test("by a refusal moves a run that has not begun to running first", () => {
    const hopeless = { kind: "hopeless", reason: "no engine" } as const;
    expect(turn(FRESH, [hopeless]).closing?.record).toMatchObject({ moveTo: "running" });
    expect(turn(running("a"), [hopeless]).closing?.record.moveTo).toBeUndefined();
  });

  test("comes if the engine has too much outstanding, and no part of the response is recorded", () => {
    const before = running("a", undefined, "b");
    const three = [[submit("c"), submit("d")]];
    expect(turn(before, [ended("a")], three, ["c", "d"]).orders.submit).toHaveLength(2);
    const { record, orders, closing } = turn(before, [ended("a")], [[...three[0]!, LOOK]], ["c", "d"]);
    expect([record, keys(orders.submit)]).toEqual([undefined, []]);
    expect(closing?.record).toMatchObject({ firstSeq: 6, ending: { do: "fail" } });
    expect(closing?.record.ending).toHaveProperty(
      "reason",
      expect.stringMatching(/4 jobs and questions outstanding; the limit of this run is 3\./),
    );
  });

  test("comes if the engine waits for nothing: the run would wait forever", () => {
    const { record, closing } = turn(running("a"), [ended("a")], [[]]);
    expect(record?.ended).toHaveLength(1);
    expect(closing?.record).toMatchObject({ firstSeq: 7, ending: { do: "fail" } });
  });
});

const NOTE = { outsideId: null, queueReason: null, concern: null, startedAtMs: null };
const PLACED = { ...NOTE, backend: "Local", hostToken: "earlier boot" };

describe("a resumed run", () => {
  test("submits running jobs, queues waiting jobs, and answers open asks", () => {
    const before = { ...running("a", undefined, "b"), asks: new Map([["look", LOOK]]) };
    const { record, orders } = resume(before, new Map([[idOf("a"), PLACED]]));
    expect(record).toBeUndefined();
    expect(orders).toMatchObject({
      submit: [{ id: idOf("a"), placed: PLACED }],
      answer: [LOOK],
    });
    expect(keys(orders.enqueue)).toEqual(["b"]);
  });

  test("ends if its end was decided before", () => {
    const { closing } = resume({ ...running("a"), ending: { do: "finish" } }, new Map());
    expect(closing).toMatchObject({ hasJobs: true, record: { ending: { do: "finish" } } });
  });

  test("fails without an outstanding job or ask", () => {
    expect(resume(FRESH, new Map()).closing?.record.ending).toMatchObject({ do: "fail" });
  });
});

const LOOK = { do: "list", id: "look", folder: "", deep: false } as const;

/**
 * Takes a turn of a run with these responses of the engine, on a host with capacity for jobs with these keys.
 */
function turn(
  before: Progress,
  arrivals: readonly Arrival[],
  responses: readonly (readonly Instruction[])[] = [],
  granted: readonly string[] = [],
): Decision {
  const considered = collectResponses(sift(before, arrivals), withJobIds("run", responses), {
    mostOutstanding: 3,
  });
  return decide(considered, new Set(granted.map(idOf)));
}

function running(key: string, attempt?: number, ...others: readonly string[]): Progress {
  const jobs = [issued(key, attempt), ...others.map((other) => issued(other))];
  return {
    ...FRESH,
    isBegun: true,
    nextSeq: 6,
    jobCount: jobs.length,
    jobs: new Map(jobs.map((one) => [one.job.key, one])),
  };
}

function ended(key: string, attempt?: number, end = WELL): Arrival {
  const event: EngineEvent = {
    kind: "job-ended",
    key,
    end,
    lastLines: [],
    ...(attempt !== undefined && { attempt }),
  };
  return { kind: "event", event };
}

function issued(key: string, attempt?: number) {
  return { id: jobIdOf("run", { key, attempt }), job: job(key, attempt) };
}

function submit(key: string): Instruction {
  return { do: "submit", job: job(key) };
}

function job(key: string, attempt?: number): Job {
  return {
    key,
    ...(attempt !== undefined && { attempt }),
    name: key,
    command: { script: key },
    node: "n",
    displayCommand: key,
    image: null,
    environment: {},
  };
}

function idOf(key: string): string {
  return jobIdOf("run", { key });
}

function keys(jobs: readonly { readonly job: Job }[]): string[] {
  return jobs.map(({ job: { key } }) => key);
}
