import { afterAll, describe, expect } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { changeStatus, createRun, T } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const bob = await api.makeUser();

await createRun(api, ada, "fit");
const plot = await createRun(api, ada, "plot");
const fit = await createRun(api, ada, "fit");
await changeStatus(api, ada, (await createRun(api, ada, "gone")).id, "deleted");
await createRun(api, bob, "fit");

const url = (query: string) => `/api/workflow-names?${query}&${T(ada)}`;
const named = (name: string, workflows: number, last: { id: string; name: string }) => ({
  name,
  workflows,
  last: expect.objectContaining({ id: last.id, name: last.name, status: "created" }),
});

describe("GET /api/workflow-names", async () => {
  await runScenarios(api, [
    { name: "page 0", url: url("page=0"), status: 400 },
    { name: "too many at once", url: url("size=501"), status: 400 },
    {
      name: "the caller's names that are not deleted, the newest first",
      url: url("page=1"),
      status: 200,
      reply: expect.objectContaining({ items: [named("fit", 2, fit), named("plot", 1, plot)], total: 2 }),
    },
    {
      name: "a page of them",
      url: url("page=2&size=1"),
      status: 200,
      reply: expect.objectContaining({ items: [named("plot", 1, plot)], has_prev: true, has_next: false }),
    },
  ]);
});
