import { afterAll, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";

const api = await apiFixture();
afterAll(() => api.close());

const lines = () => api.logged.map((line) => JSON.parse(line) as Record<string, unknown>);

test("the log shows who changed what, from where, and when runs started and ended", async () => {
  const ada = await api.makeUser();
  const run = await createRun(api, ada, "fit");
  await changeStatus(api, ada, run.id, "start");
  api.backend.end(await api.backend.startedJob(0), { exitCode: 3 });
  await untilStatus(api, ada, run.id, "failed");
  await changeStatus(api, ada, run.id, "deleted");
  const url = `/api/users?email=bob@example.org&user_token=bobs.own.token&${T(api.admin)}`;
  await api.inject({ method: "POST", url });

  const of = { workflow: run.id, run: "fit.1", user: ada.id };
  await expect.poll(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ msg: "run began", ...of }),
      expect.objectContaining({
        msg: "run ended",
        ...of,
        status: "failed",
        ms: expect.any(Number) as number,
      }),
    ]),
  );
  const changes = lines().filter(({ action }) => action !== undefined);
  const common = { msg: "request", level: "info", ip: "127.0.0.1" };
  expect(changes).toMatchObject([
    { ...common, action: "create", run: "fit.1", userId: ada.id, status: 201 },
    { ...common, action: "start", run: "fit.1", userId: ada.id, status: 200, method: "PUT" },
    { ...common, action: "deleted", run: "fit.1", userId: ada.id, status: 200 },
    { ...common, action: "create-user", email: "bob@example.org", userId: api.admin.id, status: 201 },
  ]);
  expect(api.logged.join("")).not.toContain("bobs.own.token");
  expect(api.logged.join("")).not.toContain(ada.token);
});
