import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { runEvents } from "#store/events/run-events";
import { jobsOfRun } from "#store/jobs/jobs";
import { movableClock } from "../fakes/movable-clock.ts";
import { isOver } from "../run-fixture.ts";
import type { Scenario } from "./run-scenarios.ts";

const WITH_INPUT = {
  inputs: { files: ["list.txt"] },
  workflow: { type: "serial" as const, specification: { steps: [{ name: "s", commands: ["a"] }] } },
};
const LIST = { "list.txt": "red\n" };
const DAY_MS = 86_400_000;

/** Empties the events of a run that ended a day ago, but not the events of a live run. */
export const oldAndLive: Scenario = async ({ backend, fixture }) => {
  const clock = movableClock();
  /** Lets time pass, because a failed removal is tried again later. */
  const until = async (is: () => boolean | Promise<boolean>) => {
    while (!(await is())) {
      clock.pass(1000);
      await pause(2);
    }
  };
  const [old, live] = [
    await fixture.queueSpecification(WITH_INPUT, LIST),
    await fixture.queueSpecification(WITH_INPUT, LIST),
  ];
  const server = fixture.server({ clock, runSettings: { keep: { eventsMs: DAY_MS } } });
  await server.start();
  await until(() => backend.runningJobs() === 2);
  const jobOf = async (id: string) => (await jobsOfRun(fixture.db, id))[0]!.id;
  backend.end(await jobOf(old));
  await until(async () => isOver(await fixture.run(old)));
  const before = await runEvents(fixture.db, live);
  clock.pass(DAY_MS + 1000);
  const isEmptied = fixture.db.selectFrom("runs").select("emptied_at").where("id", "=", old);
  await until(async () => (await isEmptied.executeTakeFirstOrThrow()).emptied_at !== null);
  await server.close({ stopJobs: false });
  assert.deepEqual(await runEvents(fixture.db, live), before);
  const kept = (await runEvents(fixture.db, old)).filter(
    ({ body }) => Object.keys(body as object).length > 0,
  );
  assert.deepEqual(
    kept.map(({ kind }) => kind),
    ["stamped"],
  );
  await fixture.server().start();
  backend.end(await jobOf(live));
  assert.equal((await fixture.until(live, isOver)).status, "finished");
};
