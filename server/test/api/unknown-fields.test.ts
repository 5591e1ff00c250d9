import { afterAll, describe, expect, test } from "vitest";
import type { TObject } from "typebox";
import { ROUTES } from "#api/routes";
import { apiFixture } from "../support/api-fixture.ts";
import { changeStatus, createRun, serial, statusOf, T } from "../support/run-rows.ts";

/** A misspelt field of a body is refused, because the default value of the intended field may delete data. */
const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();

const withFields = ROUTES.filter(({ schema }) => Object.keys(fieldsOf(schema.body)).length > 0);

function fieldsOf(body: unknown): object {
  return (body as Partial<TObject> | undefined)?.properties ?? {};
}

function requiredOf(body: unknown): readonly string[] {
  return (body as Partial<TObject>).required ?? [];
}

test("most endpoints with a JSON body list their fields", () => {
  expect(withFields.length).toBeGreaterThan(25);
});

test.each(withFields.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s refuses an unknown field",
  async (_name, { method, path, schema, statusOf: statuses }) => {
    const url = `${path.replaceAll(/\{\w+\*?\}/g, "x")}?${T(api.admin)}`;
    const required = Object.fromEntries(requiredOf(schema.body).map((name) => [name, null]));
    const reply = await api.inject({ method, url, payload: { ...required, bogus: 1 } });
    const known = Object.keys(fieldsOf(schema.body)).join(", ");
    expect([reply.statusCode, reply.json()]).toEqual([
      statuses?.malformed ?? 400,
      { message: `Field 'bogus': Unknown field. Known here: ${known}.`, code: "malformed" },
    ]);
  },
);

describe("PUT status", async () => {
  const older = await createRun(api, ada, "fit");
  const newer = await createRun(api, ada, "fit");

  test.each([["all_run"], ["allRuns"], ["workspaces"]])("deletes no run because of `%s`", async (field) => {
    const reply = await changeStatus(api, ada, newer.id, "deleted", { [field]: false });
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      {
        message: expect.stringMatching(
          `^Field '${field}': Unknown field\\. Known here: .*all_runs, workspace\\.$`,
        ),
      },
    ]);
    expect([await statusOf(api, ada, older.id), await statusOf(api, ada, newer.id)]).toEqual([
      "created",
      "created",
    ]);
  });

  test("names a long field in part", async () => {
    const reply = await changeStatus(api, ada, newer.id, "deleted", { ["x".repeat(5000)]: 1 });
    expect(reply.json<{ message: string }>().message).toMatch(/^Field 'x{100}': Unknown field/);
  });
});

/** Bodies sent by REANA's clients and web page. */
describe("REANA's clients", () => {
  const values = { input_parameters: {}, operational_options: {} };
  test.each([
    ["stop, 0.9.6", "stop", { force_stop: true }],
    ["stop, Go", "stop", {}],
    ["delete, Python", "deleted", { all_runs: false, workspace: true }],
    ["delete, Go", "deleted", { workspace: true }],
    ["delete, web page", "deleted", { workspace: true, all_runs: false }],
    ["start by status", "start", { ...values, restart: false }],
    ["start of 2018", "start", { parameters: {}, operational_parameters: {} }],
  ])("%s", async (_name, word, body) => {
    const run = await createRun(api, ada, "clients", serial(["true"]));
    const { statusCode } = await changeStatus(api, ada, run.id, word, body);
    expect(statusCode).toBe(word === "stop" ? 409 : 200);
  });

  test("restart, with a specification", async () => {
    const run = await createRun(api, ada, "again", serial(["true"]));
    const payload = { ...values, restart: true, reana_specification: serial(["false"]) };
    const url = `/api/workflows/${run.id}/start?${T(ada)}`;
    const reply = await api.inject({ method: "POST", url, payload });
    // The run has not ended: its fields were accepted.
    expect([reply.statusCode, reply.body]).toEqual([409, expect.not.stringContaining("Unknown field")]);
  });
});
