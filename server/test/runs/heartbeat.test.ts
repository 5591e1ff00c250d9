import { afterEach, beforeEach, expect, test } from "vitest";
import { createHeartbeat, type Heartbeat } from "#scheduler/heartbeat";
import { maybeSilentHost } from "#store/hosts/hosts";
import { openDatabaseUnderTest } from "../support/database.ts";
import { type HeldAnswers, heldAnswers } from "./held-answers.ts";
import { movableClock } from "../support/fakes/movable-clock.ts";

const BEAT_MS = 5000;

let store: Awaited<ReturnType<typeof openDatabaseUnderTest>>;
let slow: HeldAnswers;
let heartbeat: Heartbeat;
let told: string[];
const clock = movableClock();

beforeEach(async () => {
  store = await openDatabaseUnderTest();
  slow = heldAnswers(store.db);
  told = [];
  heartbeat = createHeartbeat({
    db: slow.db,
    clock,
    host: { id: "here", name: "here" },
    onLost: () => void told.push("lost"),
    onBack: () => void told.push("back"),
    log: { error: (_details, message) => void told.push(message) },
  });
  await heartbeat.start();
});

afterEach(() => store.close());

test("while the database leaves a renewal without an answer, the server lets go in time and asks nothing more", async () => {
  slow.hold();
  for (let beats = 0; beats < 3; beats += 1) clock.pass(BEAT_MS);
  expect([told, heartbeat.holdsLeases()]).toEqual([[], true]);
  for (let beats = 0; beats < 3; beats += 1) clock.pass(BEAT_MS);
  expect([told, heartbeat.holdsLeases()]).toEqual([["lost"], false]);
  for (let beats = 0; beats < 100; beats += 1) clock.pass(BEAT_MS);
  await expect.poll(slow.asked).toBe(1);
  slow.letGo();
  await heartbeat.stop();
  expect(slow.asked()).toBe(2);
  expect(told).toEqual(["lost"]);
  expect(await maybeSilentHost(store.db, "here")).toBeDefined();
});

test("a late answer proves no lease; the next punctual answer does", async () => {
  slow.hold();
  for (let beats = 0; beats < 10; beats += 1) clock.pass(BEAT_MS);
  slow.letGo();
  await expect.poll(slow.answered).toBe(1);
  expect([told, heartbeat.holdsLeases()]).toEqual([["lost"], false]);
  clock.pass(BEAT_MS);
  await expect.poll(() => told).toEqual(["lost", "back"]);
  expect(heartbeat.holdsLeases()).toBe(true);
  await heartbeat.stop();
});
