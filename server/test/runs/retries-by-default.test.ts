import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "#config/read";
import type { Operations } from "#operations/operations";
import { restartRun } from "#operations/runs/start/restart-run";
import { startRun } from "#operations/runs/start/start-run";
import { jobsOfRun } from "#store/jobs/jobs";
import { type Retries, RETRY_REASONS } from "#workflow/job/retries";
import { apiFixture, type ApiFixture, type FixtureUser } from "../support/api-fixture.ts";
import { createRun, untilStatus } from "../support/run-rows.ts";

/** The server's default for steps without retry settings (`--retries`). */
const RETRIES: Retries = { most: 1, delayMs: 0, after: ["lost"] };
const LOST = { exitCode: null, reason: "lost" } as const;

let api: ApiFixture;
let ada: FixtureUser;

beforeEach(async () => {
  api = await apiFixture();
  ada = await api.makeUser();
});

afterEach(() => api.close());

const caller = () => ({ id: ada.id, email: "ada@example.org", isAdmin: false });
const start = (address: string, operations: Operations) =>
  startRun(operations, caller(), { address, parameters: {}, options: {} });

async function attemptsOf(id: string): Promise<unknown[]> {
  return (await jobsOfRun(api.operations.db, id)).map(({ attempt, status }) => [attempt, status]);
}

test("a run keeps the default retries of its start, even if the setting changes", async () => {
  const [kept, plain] = [await createRun(api, ada, "kept"), await createRun(api, ada, "plain")];
  const stubborn: Operations = { ...api.operations, runSettings: { retries: RETRIES } };
  await start(kept.id, stubborn);
  // The fixture's own server, which drives all runs, has no default.
  await start(plain.id, api.operations);
  const jobOf = async (id: string, attempt: number) => {
    const look = async () =>
      (await jobsOfRun(api.operations.db, id)).find((job) => job.attempt === attempt)?.status;
    await expect.poll(look).toBe("running");
    return (await jobsOfRun(api.operations.db, id)).find((job) => job.attempt === attempt)!.id;
  };
  api.backend.end(await jobOf(kept.id, 1), LOST);
  api.backend.end(await jobOf(plain.id, 1), LOST);
  await untilStatus(api, ada, plain.id, "failed");
  api.backend.end(await jobOf(kept.id, 2));
  await untilStatus(api, ada, kept.id, "finished");
  expect(await attemptsOf(kept.id)).toEqual([
    [1, "failed"],
    [2, "finished"],
  ]);
  const again = { parameters: {}, options: {}, document: undefined, fresh: true, fromStep: null };
  const restart = await restartRun(stubborn, caller(), { address: plain.id, ...again });
  api.backend.end(await jobOf(restart.id, 1), LOST);
  api.backend.end(await jobOf(restart.id, 2));
  await untilStatus(api, ada, restart.id, "finished");
});

test("the setting takes the reasons that a step may name, and is off by itself", () => {
  expect(readConfig({}).retries).toBe(0);
  expect(readConfig({ REPRISE_RETRY_ON: RETRY_REASONS.join(", ") }).retryOn).toEqual(RETRY_REASONS);
  expect(() => readConfig({ REPRISE_RETRY_ON: "lost,cancelled" })).toThrow("it must be some of exited, ");
});
