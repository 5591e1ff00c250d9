import { afterAll, describe } from "vitest";
import { insertRunOutputs } from "#store/runs/run-outputs";
import { apiFixture } from "../../support/api-fixture.ts";
import { createRun, refusalRows, T } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();
const open = await createRun(api, ada, "open");
const ended = await createRun(api, ada, "ended");
const outputs = { n: 1, made: { class: "File", location: "outputs/made.txt" }, nothing: null };
await insertRunOutputs(api.operations.db, ended.id, outputs);

const urlOf = (run: string) => `/api/workflows/${run}/outputs`;

describe("the output object of a run", async () => {
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", ended, urlOf)),
    {
      name: "is null before its end",
      url: `${urlOf(open.id)}?${T(ada)}`,
      status: 200,
      reply: { workflow_id: open.id, workflow_name: "open.1", outputs: null },
    },
    {
      name: "has the shape of its language",
      url: `${urlOf("ended")}?${T(ada)}`,
      status: 200,
      reply: { workflow_id: ended.id, workflow_name: "ended.1", outputs },
    },
  ]);
});
