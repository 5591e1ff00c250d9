import { expect } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import type { Files, foundJobsFixture } from "./found-jobs-fixture.ts";

type Fixture = Awaited<ReturnType<typeof foundJobsFixture>>;
type Again = Awaited<ReturnType<Fixture["restart"]>>;

/** A change between a run and its restart, and the expected steps of the restart. */
export interface Change {
  readonly name: string;
  /** Documents and inputs to put into the workspace. */
  readonly put?: () => Files;
  readonly touch?: string;
  readonly append?: string;
  readonly remove?: string;
  readonly body?: object;
  /** The digest of the image `any` after the change. */
  readonly image?: string;
  readonly runs: readonly string[];
  /** The differing field and the reason of the first job that runs. */
  readonly field?: string;
  readonly reason?: string;
}

/** Returns the changed document, with one text replaced. */
export function edited(files: Files, name: string, text: string, by: string): Files {
  const content = files[name]!.replace(text, by);
  expect(content).not.toBe(files[name]);
  return { [name]: content };
}

const DIGEST = "sha256:1";

/**
 * Runs a workflow, changes something, and restarts the run. Checks that exactly the affected steps run, as
 * predicted by the plan.
 */
export async function expectRestart(fixture: Fixture, change: Change): Promise<void> {
  const { put, touch, append, remove, body, image = DIGEST, runs, field, reason } = change;
  const { images } = fixture.api.backend;
  for (const name of ["any", "other"]) images.set(name, DIGEST);
  const { id } = await fixture.ran();
  images.set("any", image);
  if (put) await fixture.put(id, put());
  if (touch !== undefined) await fixture.touch(id, touch);
  if (append !== undefined) await fixture.append(id, append, "x");
  if (remove !== undefined) await fixture.remove(id, remove);
  const again = await fixture.restart(id, body);
  expect(again.steps).toEqual(runs);
  const first = firstToRun(again);
  expect([first === undefined, again.isComplete]).toEqual([runs.length === 0, runs.length === 0]);
  if (field !== undefined) expect(first?.differences[0]?.field).toBe(field);
  if (reason !== undefined) expect(first?.reason).toBe(reason.replace("NAME", again.previous));
  await expectForetold(fixture, again);
  // The workspace now holds the results of all jobs, taken over or run: nothing is left to do.
  if (!["never-reused", "fresh", "from-step"].includes(first?.kind ?? ""))
    expect((await fixture.restart(again.id)).steps).toEqual([]);
}

/** Restarts an unchanged run, and checks that every job is reused. */
export async function expectAllTakenOver(fixture: Fixture, id: string): Promise<Again> {
  const again = await fixture.restart(id);
  expect(again.steps).toEqual([]);
  const { db } = fixture.api.operations;
  const [old, jobs] = [await jobsOfRun(db, id), await jobsOfRun(db, again.id)];
  expect(again.plan.map(({ verdict }) => verdict)).toEqual(old.map(() => "taken-over"));
  // The jobs of a scatter are found in any order.
  const taken = jobs.map(({ key, status, reason, takenFrom }) => `${key} ${status}, ${reason}: ${takenFrom}`);
  expect(new Set(taken)).toEqual(new Set(old.map((job) => `${job.key} finished, taken-over: ${job.id}`)));
  return again;
}

/**
 * Runs documents with a failing step, mends them, and restarts. Checks that exactly the steps in `runs` run.
 */
export async function expectMended(
  fixture: Fixture,
  {
    broken,
    ran,
    runs,
  }: { readonly broken: Files; readonly ran: readonly string[]; readonly runs: readonly string[] },
): Promise<void> {
  const { files } = fixture;
  const { id, steps } = await fixture.ran(undefined, { ...files, ...broken }, "failed");
  expect(steps).toEqual(ran);
  await fixture.put(id, Object.fromEntries(Object.keys(broken).map((name) => [name, files[name]!])));
  const again = await fixture.restart(id);
  expect(again.steps).toEqual(runs);
  expect(firstToRun(again)?.reason).toBe(`It failed in ${again.previous}.`);
}

export function firstToRun({ plan }: Again): Again["plan"][number] | undefined {
  return plan.find(({ verdict }) => verdict === "runs");
}

/** Checks that the plan of a start from an unknown step is refused, with a list of the existing names. */
export async function expectNoSuchStep(fixture: Fixture, sentence: string): Promise<void> {
  const { id } = await fixture.ran();
  const reply = await fixture.tryPlan(id, { from_step: "none" });
  expect(reply.statusCode).toBe(400);
  expect(reply.json<{ message: string }>().message).toContain(sentence);
}

/** Checks that the plan predicted each job's outcome. */
async function expectForetold({ api }: Fixture, { id, plan }: Again): Promise<void> {
  const jobs = new Map((await jobsOfRun(api.operations.db, id)).map((job) => [job.key, job]));
  for (const { key, verdict, reason } of plan) {
    const job = jobs.get(key)!;
    expect([key, job.reason === "taken-over" ? "taken-over" : "runs"]).toEqual([key, verdict]);
    if (reason !== "It has not run in this workspace.") expect(job.decision?.sentence).toBe(reason);
  }
}
