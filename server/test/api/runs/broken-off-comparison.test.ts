import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal } from "#plumbing/errors";
import { type ApiFixture, apiFixture } from "../../support/api-fixture.ts";
import { createRun, T } from "../../support/run-rows.ts";

/** A comparison may take minutes, so it ends if the client disconnects or the server stops. */
let api: ApiFixture;
let address: string;
/** Settled when the comparison has started, and when it was aborted. */
let begun: Promise<void>;
let brokenOff: Promise<void>;

beforeEach(async () => {
  api = await apiFixture();
  const ada = await api.makeUser();
  const run = await createRun(api, ada, "fit");
  address = `/api/workflows/${run.id}/comparison/${run.id}?${T(ada)}`;
  const isBegun = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  [begun, brokenOff] = [isBegun.promise, isOver.promise];
  vi.spyOn(api.operations.workspaces, "compare").mockImplementation(async (_request, signal) => {
    isBegun.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    isOver.resolve();
    throw new Refusal("unavailable", "The comparison was cancelled.");
  });
});
afterEach(() => api.close());

test("when the client goes away", async () => {
  const leaving = new AbortController();
  const asked = fetch(`${await api.listen()}${address}`, { signal: leaving.signal });
  await begun;
  leaving.abort();
  await expect(asked).rejects.toThrow(/abort/);
  await brokenOff;
});

test("when the server is closed", async () => {
  const asked = fetch(`${await api.listen()}${address}`);
  await begun;
  await api.close();
  await brokenOff;
  expect((await asked).status).toBe(503);
});
