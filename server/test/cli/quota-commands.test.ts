import { afterAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { jobsOfRun } from "#store/jobs/jobs";
import { apiFixture } from "../support/api-fixture.ts";
import { changeStatus, createRun, untilStatus } from "../support/run-rows.ts";

/** `reprise admin quota`, `reprise admin usage`, and `reprise prune --dry-run`. */
const api = await apiFixture();
const server = await api.listen();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");

async function reprise(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken } });
  const code = await runCli(["admin", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("a quota is set, shown and taken away", async () => {
  expect(await reprise("quota", ada.email, "--cpu", "100h", "--disk", "2GiB", "--months", "1")).toEqual({
    code: 0,
    printed: [
      "RESOURCE  USED  LIMIT  PERIOD",
      expect.stringMatching(/^cpu {7}0 s {3}100 h {2}1 month from \d{4}-\d\d-\d\d$/),
      "disk      0 B   2 GiB  -",
    ],
    errors: [],
  });
  const { printed } = await reprise(
    "quota",
    ada.email,
    "--cpu",
    "none",
    "--disk",
    "default",
    "--months",
    "none",
  );
  expect(printed.slice(1)).toEqual(["cpu       0 s   -      -", "disk      0 B   -      -"]);
});

test("a limit of the wall clock is shown while there is one", async () => {
  expect((await reprise("quota", ada.email, "--wall", "500h")).printed[3]).toMatch(
    /^wall {6}0 s {3}500 h {2}-$/,
  );
  expect((await reprise("quota", ada.email, "--wall", "default")).printed).toHaveLength(3);
});

test("all users are listed with usage", async () => {
  const bob = await api.makeUser("bob@example.org");
  await createRun(api, bob, "listed");
  await reprise("quota", bob.email, "--cpu", "3h");
  const { printed } = await reprise("users");
  expect(printed[0]).toMatch(/^USER +RUNS +LIVE +PROCESSOR TIME +DISK$/);
  expect(printed.at(-1)).toMatch(/^bob@example\.org +1 +0 +\S+( s)? of 3 h +\S+( \w+)?$/);
  expect(JSON.parse((await reprise("users", "--json")).printed[0]!).at(-1)).toMatchObject({
    email: "bob@example.org",
    cpu_limit_ms: 10_800_000,
    disk_limit_bytes: null,
    live_runs: 0,
  });
});

test("policies are set, listed and taken away", async () => {
  expect((await reprise("policy")).printed).toEqual(["There is no policy."]);
  const options = [
    "--images",
    "python,rootproject/*",
    "--cpu",
    "none",
    "--disk",
    "2GiB",
    "--wall",
    "3h",
    "--runs",
    "5",
  ];
  expect(await reprise("policy", "everybody", ...options)).toEqual({
    code: 0,
    printed: [
      "GROUP      CPU   DISK   WALL  RUNS AT ONCE  IMAGES",
      "everybody  none  2 GiB  3 h   5             python,rootproject/*",
    ],
    errors: [],
  });
  expect(await reprise("policy", "--runs", "5")).toMatchObject({
    code: 1,
    errors: ["Name the group whose policy is to change, or everybody for all users."],
  });
  expect(await reprise("policy", "everybody", "--runs", "many")).toMatchObject({
    code: 1,
    errors: ["--runs many is not valid: give a number, none or default."],
  });
  const fields = ["--images", "--cpu", "--disk", "--wall", "--runs"];
  const none = fields.flatMap((field) => [field, "default"]);
  expect((await reprise("policy", "everybody", ...none)).printed).toEqual(["There is no policy."]);
});

test.each([
  ["--cpu", "100", "--cpu 100 is not valid: give an amount such as 100h (s, min, h), none or default."],
  [
    "--disk",
    "5GB",
    "--disk 5GB is not valid: give an amount such as 50GiB (KiB, MiB, GiB, TiB), none or default.",
  ],
  ["--months", "0", "--months 0 is not valid: give a number of months, or none."],
])("%s %s is refused, and nothing is set", async (option, value, sentence) => {
  expect(await reprise("quota", ada.email, "--cpu", "1h", option, value)).toMatchObject({
    code: 1,
    errors: [sentence],
  });
  expect((await reprise("quota", ada.email)).printed[1]).toBe("cpu       0 s   -      -");
});

test("use by user and month", async () => {
  expect((await reprise("usage")).printed).toEqual(["MONTH  USER  RUNS  PROCESSOR TIME  WALL CLOCK"]);
  const { id } = await createRun(api, ada, "fit");
  await changeStatus(api, ada, id, "start");
  await untilStatus(api, ada, id, "running");
  api.backend.end((await jobsOfRun(api.operations.db, id))[0]!.id, { usage: { cpuMs: 90_000 } });
  await untilStatus(api, ada, id, "finished");
  const row = expect.stringMatching(/^\d{4}-\d\d +ada@example\.org +1 +1 min 30 s +\d+ s$/);
  expect((await reprise("usage")).printed.slice(1)).toEqual([row]);
  expect((await reprise("usage", "--user", "ada@example.org", "--from", "2020-01")).printed.slice(1)).toEqual(
    [row],
  );
  expect((await reprise("usage", "--user", api.admin.id)).printed.slice(1)).toEqual([]);
  expect((await reprise("usage", "--to", "2020-01")).printed.slice(1)).toEqual([]);
  expect((await reprise("usage", "--from", "2999-01")).errors[0]).toMatch(
    /^The month 2999-01 is after \d{4}-\d\d: exchange from and to\.$/,
  );
  const [month] = JSON.parse((await reprise("usage", "--json")).printed[0]!) as object[];
  expect(month).toMatchObject({ id_: ada.id, email: ada.email, cpu_ms: 90_000, runs: 1 });
});

test("prune --dry-run lists files to delete, and deletes no file", async () => {
  const { name } = await createRun(api, api.admin, "tidy");
  const url = (query: string) => `/api/workflows/${name}/workspace?${query}&access_token=${api.adminToken}`;
  for (const file of ["a.txt", "b.txt"]) {
    await api.inject({ method: "POST", url: url(`file_name=${file}`), payload: "x" });
  }
  const cli = fakeCli({ environment: { REPRISE_SERVER: server, REPRISE_TOKEN: api.adminToken } });
  expect(await runCli(["prune", "tidy", "--dry-run"], cli), cli.errors.join()).toBe(0);
  expect(cli.printed.toSorted()).toEqual([`A prune of tidy.1 would delete 2 files (2 B).`, "a.txt", "b.txt"]);
  expect((await api.inject(url(""))).json<{ items: object[] }>().items).toHaveLength(2);
});
