import { afterAll, describe, expect, test } from "vitest";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { createRun, refusalRows, serial, T } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");
const bob = await api.makeUser("bob@example.org");

const decayWith = (halfLife: unknown) =>
  createRun(api, ada, "decay", serial(["true"], { half_life: halfLife, sample: "A" }));
const decay = await decayWith(1);
for (const halfLife of [2, 20, "2"]) await decayWith(halfLife);
await createRun(api, ada, "other", serial(["true"], { half_life: 2 }));
const annotated = await createRun(api, ada, "annotated");

interface Listed {
  readonly name: string;
  readonly note?: string;
  readonly tags?: string[];
  readonly parameters?: object;
}

async function listed(query: string, user: FixtureUser = ada): Promise<readonly Listed[]> {
  const reply = await api.inject({ url: `/api/workflows?size=50&sort=asc&${query}&${T(user)}` });
  const { items, total } = reply.json<{ items: Listed[]; total: number }>();
  expect(total).toBe(items.length);
  return items;
}

const namesOf = async (query: string, user?: FixtureUser) =>
  (await listed(query, user)).map(({ name }) => name);

const notesOf = (run: string, body: object, user = ada) =>
  api.inject({ method: "PUT", url: `/api/workflows/${run}/notes?${T(user)}`, payload: body });

describe("notes and tags", async () => {
  const url = (address: string) => `/api/workflows/${address}/notes`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", annotated, url)),
    {
      name: "nothing to change",
      method: "PUT",
      url: `${url(annotated.id)}?${T(ada)}`,
      body: {},
      status: 400,
      reply: "Nothing to change: give a note, tags, or both.",
    },
    {
      name: "a tag of two words",
      method: "PUT",
      url: `${url(annotated.id)}?${T(ada)}`,
      body: { tags: ["for the paper"] },
      status: 400,
      reply:
        '"for the paper" cannot be a tag: a tag is a word of at most 40 letters, digits and _ . : / @ + -, which ' +
        "begins with a letter or a digit.",
    },
    {
      name: "too many tags",
      method: "PUT",
      url: `${url(annotated.id)}?${T(ada)}`,
      body: { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) },
      status: 400,
    },
  ]);

  test("are replaced singly, listed, and found by tag", async () => {
    const note = "With the new calibration.\nSee log 4.";
    const reply = await notesOf(annotated.id, { note, tags: ["paper", "2026-B", "paper"] });
    expect(reply.json()).toEqual({
      workflow_id: annotated.id,
      workflow_name: "annotated.1",
      note,
      tags: ["2026-B", "paper"],
    });
    expect((await notesOf(annotated.id, { tags: ["paper"] })).json()).toMatchObject({
      note,
      tags: ["paper"],
    });
    expect(await namesOf("tag=paper")).toEqual(["annotated.1"]);
    expect(await namesOf("tag=pape")).toEqual([]);
    expect(await listed("tag=paper&include_notes=true")).toMatchObject([{ note, tags: ["paper"] }]);
    expect((await listed("tag=paper"))[0]).not.toHaveProperty("tags");
    expect((await notesOf(annotated.id, { note: " " })).json()).toMatchObject({ note: "", tags: ["paper"] });
  });

  test("are added and taken away one by one, up to a limit", async () => {
    const { id } = await createRun(api, ada, "tagged");
    const tagsAfter = async (body: object) => (await notesOf(id, body)).json<{ tags?: string[] }>().tags;
    expect(await tagsAfter({ add_tags: ["b", "a"] })).toEqual(["a", "b"]);
    expect(await tagsAfter({ add_tags: ["c", "b"], remove_tags: ["a", "unknown"] })).toEqual(["b", "c"]);
    expect(await tagsAfter({ note: "kept" })).toEqual(["b", "c"]);
    expect((await notesOf(id, { add_tags: ["two words"] })).json()).toMatchObject({
      message: expect.stringMatching(/^"two words" cannot be a tag/) as string,
    });
    const more = Array.from({ length: 19 }, (_, index) => `t${index}`);
    const refused = await notesOf(id, { add_tags: more });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { message: "A run has at most 20 tags: remove some first." },
    ]);
    expect(await tagsAfter({ remove_tags: ["b", "c"] })).toEqual([]);
  });

  test("are read by those with whom the run is shared, and changed by its owner only", async () => {
    await notesOf(annotated.id, { note: "seen", tags: ["paper"] });
    const payload = { user_email_to_share_with: bob.email };
    await api.inject({ method: "POST", url: `/api/workflows/${annotated.id}/share?${T(ada)}`, payload });
    const read = await api.inject({ url: `${url(annotated.id)}?${T(bob)}` });
    expect(read.json()).toMatchObject({ note: "seen", tags: ["paper"] });
    expect((await notesOf(annotated.id, { note: "mine" }, bob)).statusCode).toBe(403);
    expect(await namesOf("tag=paper&shared_by=anybody", bob)).toEqual(["annotated.1"]);
    expect(await namesOf("tag=paper", bob)).toEqual([]);
  });
});

describe("parameters", async () => {
  const of = "workflow_id_or_name=decay";
  await runScenarios(api, [
    {
      name: "without a name",
      url: `/api/workflows?parameter=half_life%3D2&${T(ada)}`,
      status: 400,
      reply: "Give workflow_id_or_name as well: parameters are compared among the runs of one name.",
    },
    {
      name: "that is no pair",
      url: `/api/workflows?${of}&parameter=half_life&${T(ada)}`,
      status: 400,
      reply: "Field 'parameter': \"half_life\" is not a name=value.",
    },
    {
      name: "outputs of more runs than one request reads",
      url: `/api/workflows?include_outputs=true&size=201&${T(ada)}`,
      status: 400,
      reply: "Field 'size': give at most 200 with include_outputs.",
    },
  ]);

  test("are listed, and filter the runs of a name", async () => {
    const [first] = await listed(`${of}&include_parameters=true`);
    expect(first!.parameters).toEqual({ half_life: 1, sample: "A" });
    expect(await namesOf(`${of}&parameter=half_life%3D2`)).toEqual(["decay.2", "decay.4"]);
    expect(await namesOf(`${of}&parameter=half_life%3D2&parameter=sample%3Da`)).toEqual([]);
    expect(await namesOf(`${of}&parameter=half_life%3D2&status=created,finished`)).toHaveLength(2);
  });

  test("are the parameters of the start", async () => {
    const body = { input_parameters: { half_life: 7 } };
    await api.inject({ method: "POST", url: `/api/workflows/${decay.id}/start?${T(ada)}`, payload: body });
    expect(await namesOf(`${of}&parameter=half_life%3D7`)).toEqual(["decay.1"]);
    expect(await namesOf(`${of}&parameter=half_life%3D1`)).toEqual([]);
  });
});
