import { afterAll, describe, expect, test } from "vitest";
import { findRun } from "#operations/find-run";
import { heldAnswers } from "../runs/held-answers.ts";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, T, UNKNOWN_TOKEN } from "../support/run-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");
const bob = await api.makeUser("bob@example.org");
await createRun(api, ada, "hello");
await createRun(api, ada, "decay");
await createRun(api, bob, "helloo");

async function ask(url: string, userAgent: string): Promise<{ status: number; message: string }> {
  const reply = await api.inject({ url, headers: { "user-agent": userAgent } });
  return { status: reply.statusCode, message: reply.json<{ message: string }>().message };
}

/** Requests of reana-client 0.9.6 and 0.95, and of the client in Go. */
const REANA = ["python-requests/2.32.5", "Go-http-client/1.1", "Go-http-client/2.0"];
const OTHERS = ["reprise/0.1.0", "node", "curl/8.5.0", "Mozilla/5.0", ""];

describe.each(REANA)("%s gets the words that REANA has", (agent) => {
  test.each([
    [
      `/api/workflows/helo/status?${T(ada)}`,
      404,
      "REANA_WORKON is set to helo, but that workflow does not exist. " +
        "Please set your REANA_WORKON environment variable appropriately.",
    ],
    ["/api/workflows?access_token=no", 404, "User does not exist."],
    ["/api/you?access_token=no", 403, "Token not valid."],
  ])("%s", async (url, status, message) => {
    expect(await ask(url, agent)).toEqual({ status, message });
  });
});

describe.each(OTHERS)("%j gets plain words, with the same status", (agent) => {
  test.each([
    ["nothing like it", `/api/workflows/nope/status?${T(ada)}`, 404, "There is no workflow nope."],
    ["a slip", `/api/workflows/helo/status?${T(ada)}`, 404, "There is no workflow helo. Did you mean hello?"],
    [
      "a slip in a name with a number",
      `/api/workflows/helo.1/logs?${T(ada)}`,
      404,
      "There is no workflow helo.1. Did you mean hello?",
    ],
    [
      "a run that there is not",
      `/api/workflows/hello.7/status?${T(ada)}`,
      404,
      "There is no workflow hello.7. Did you mean hello.1?",
    ],
    [
      "another user's",
      `/api/workflows/hello/status?${T(bob)}`,
      404,
      "There is no workflow hello. Did you mean helloo?",
    ],
    ["an unknown token", "/api/workflows?access_token=no", 404, UNKNOWN_TOKEN],
    ["the same elsewhere", "/api/you?access_token=no", 403, UNKNOWN_TOKEN],
  ])("%s", async (_name, url, status, message) => {
    expect(await ask(url, agent)).toEqual({ status, message });
  });
});

test("a name without a run is looked up once before a similar name is suggested", async () => {
  const { db, hold, asked, letGo } = heldAnswers(api.operations.db);
  hold();
  letGo();
  const caller = { id: ada.id, email: ada.email, isAdmin: false };
  const search = findRun({ db, clock: api.operations.clock }, caller, "helo", "see");
  await expect(search).rejects.toThrow("There is no workflow helo. Did you mean hello?");
  // Own runs, current and deleted; the groups of the user; runs shared with them, current and deleted; the names.
  expect(asked()).toBe(6);
});
