import { afterAll, describe, expect, test } from "vitest";
import { ROUTES } from "#api/routes";
import { WEB_PAGE_ADDRESSES } from "#api/service/web-page/web-page";
import { api, askAs, targets } from "./permission-callers.ts";
import { cellsOf, MATRIX, maybeRow } from "./permission-matrix.ts";

/** Each route, requested by each kind of caller. */
afterAll(() => api.close());

test("a route that names a run is closed to strangers, and any other has a row of its own", () => {
  expect(maybeRow("GET", "/api/workflows/{workflow_id_or_name}/new")).toMatchObject({ stranger: 403 });
  expect(maybeRow("GET", "/api/admin/new")).toMatchObject({ owner: 403 });
  expect(maybeRow("GET", "/api/new")).toBeUndefined();
  const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
  expect(Object.keys(MATRIX).filter((name) => !known.has(name))).toEqual([]);
});

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (_name, route) => {
    const row = maybeRow(route.method, route.path);

    test("has a row", () => {
      expect(row).toBeDefined();
    });

    test.each(row ? cellsOf(route, row) : [])("%s gets %i", async (who, status) => {
      const reply = await askAs(route, who, await targets());
      expect([reply.statusCode, reply.statusCode === status ? "" : reply.body]).toEqual([status, ""]);
      if (status >= 400)
        expect(reply.json()).toEqual({ message: expect.any(String), code: expect.any(String) });
    });
  },
);

test("no route answers that is not in the table", () => {
  // Whatever came to the server by another way than the table would have no access of its own.
  const answering = [...api.app.printRoutes({ commonPrefix: false }).matchAll(/\(([A-Z, ]+)\)/g)];
  const methods = answering.flatMap(([, list]) => list!.split(", ")).filter((method) => method !== "HEAD");
  const known = [...ROUTES.map((route) => route.method as string), ...WEB_PAGE_ADDRESSES.map(() => "GET")];
  expect(methods.sort()).toEqual(known.sort());
});
