import { afterAll, describe, expect, test } from "vitest";
import { curlOf } from "#api/service/docs-page/examples";
import type { Document } from "#api/service/docs-page/document";
import { openApiDocument } from "#api/openapi";
import { apiFixture } from "../../support/api-fixture.ts";
import { changeStatus, createRun, serial, untilStatus } from "../../support/run-rows.ts";

/** The curl samples of /api/docs, sent unchanged. A sample must not be malformed. */
const api = await apiFixture();
afterAll(() => api.close());
const { paths, components } = (await openApiDocument()) as Document;
const samples = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) =>
      [operation.operationId, curlOf(method.toUpperCase(), path, operation, components.schemas)] as const,
  ),
);

const run = await createRun(api, api.admin, "fit", serial(["true"], { n: 1 }));
await changeStatus(api, api.admin, run.id, "start");
api.backend.end(await api.backend.startedJob(0));
await untilStatus(api, api.admin, run.id, "finished");

describe("the samples of the page", () => {
  test.each(samples)("%s", async (operation, sample) => {
    const reply = await api.inject(requestOf(sample));
    const { message } = reply.headers["content-type"]?.toString().startsWith("application/json")
      ? reply.json<{ message?: string }>()
      : {};
    // No test asks another machine for a repository.
    if (operation === "launch-workflow")
      expect(message).toMatch(/^127\.0\.0\.1 is a private or local address/);
    else expect([reply.statusCode, message]).not.toEqual([400, expect.anything()]);
    expect([reply.statusCode, message]).not.toEqual([403, expect.stringMatching(/missing|malformed/)]);
  });
});

/** The subset of curl used in the samples. */
function requestOf(sample: string) {
  const line = sample.replaceAll(" \\\n  ", " ").replace("//github.com/", "//127.0.0.1/");
  const [, address] = /"\$REPRISE_SERVER([^"]+)"/.exec(line)!;
  const body = / -d '(.*)'$/.exec(line)?.[1];
  const many = / --data-binary \$'(.*)'$/.exec(line)?.[1]?.replace("\\n", "\n");
  const bytes = many ?? (line.includes("--data-binary @in.csv") ? "1,2\n" : undefined);
  const method = / -X (\w+) /.exec(line)?.[1] ?? "GET";
  return {
    method: method as "GET",
    url: address!,
    headers: { authorization: `Bearer ${api.admin.token}` },
    ...((body ?? bytes) !== undefined && { payload: body ?? bytes! }),
  };
}
