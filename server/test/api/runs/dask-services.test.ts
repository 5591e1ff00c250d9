import { afterAll, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { changeStatus, createRun, serial, T } from "../../support/run-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();

/** Returns REANA's services of each run in the list, by the name of the run. */
async function servicesInList(): Promise<Record<string, unknown>> {
  const reply = await api.inject({ url: `/api/workflows?page=1&size=10&${T(ada)}` });
  const { items } = reply.json<{ items: { name: string; services: unknown }[] }>();
  return Object.fromEntries(items.map(({ name, services }) => [name, services]));
}

test("the list of runs shows the Dask cluster of a run as a service, while the cluster runs and after its end", async () => {
  const { workflow } = serial(["true"]);
  const specification = { workflow: { ...workflow, resources: { dask: { image: "dask" } } } };
  const { id } = await createRun(api, ada, "dask", specification);
  await createRun(api, ada, "plain");
  expect(await servicesInList()).toEqual({ "dask.1": [], "plain.1": [] });
  await changeStatus(api, ada, id, "start");
  const service = { name: `dask-service-${id}`, type: "dask" };
  await expect.poll(servicesInList).toEqual({ "dask.1": [{ ...service, status: "created" }], "plain.1": [] });
  await changeStatus(api, ada, id, "stop");
  await expect.poll(servicesInList).toEqual({ "dask.1": [{ ...service, status: "deleted" }], "plain.1": [] });
});
