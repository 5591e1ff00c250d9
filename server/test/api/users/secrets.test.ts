import { afterAll, describe, expect, test } from "vitest";
import { followJobLog } from "#operations/watch/follow/follow-job-log";
import { allSealedSecrets } from "#store/users/secrets";
import { apiFixture } from "../../support/api-fixture.ts";
import { reanaCheck } from "../../support/reana-schemas.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";

/** Secrets of users: stored sealed, given to each of their jobs, and shown in no reply. */
const api = await apiFixture();
afterAll(() => api.close());
const { db } = api.operations;
const conforms = reanaCheck();

const base64 = (text: string) => Buffer.from(text).toString("base64");
const env = (value: string) => ({ type: "env", value: base64(value) });
const file = (value: string) => ({ type: "file", value: base64(value) });

describe("the endpoints", async () => {
  const ada = await api.makeUser();
  const bob = await api.makeUser();
  const url = `/api/secrets/?${T(ada)}`;
  const added = { message: "Secret(s) successfully added." };
  const add = (body: object, rest: object = {}) => ({ method: "POST" as const, url, body, ...rest });
  await runScenarios(api, [
    { name: "nobody", url: "/api/secrets", status: 401, reply: "User not signed in" },
    { name: "none yet", url: `/api/secrets?${T(ada)}`, status: 200, reply: [] },
    { name: "nothing added", ...add({}), status: 403, reply: "No secret was given." },
    {
      name: "no base64",
      ...add({ A: { type: "env", value: "?" } }),
      status: 403,
      reply: "Invalid base64 value.",
    },
    { name: "another kind", ...add({ A: { type: "key", value: "" } }), status: 403 },
    { name: "a name that no variable has", ...add({ "a-b": env("1") }), status: 403 },
    { name: "no record", ...add([]), status: 403 },
    { name: "a name with a line feed, and no value", ...add({ "a\nb": {} }), status: 403 },
    { name: "a name with a line feed", ...add({ "a\nb": env("1") }), status: 403 },
    { name: "a name that leads elsewhere", ...add({ "../b": file("1") }), status: 403 },
    { name: "a name that no file can have", ...add({ "..": file("1") }), status: 403 },
    { name: "a variable that is no text", ...add({ A: { type: "env", value: "/w==" } }), status: 403 },
    { name: "a variable that no program takes", ...add({ A: env("x".repeat(131_072)) }), status: 403 },
    { name: "one good, one bad: none", ...add({ GOOD: env("1"), "b d": env("1") }), status: 403 },
    { name: "more than there may be", ...add({ a: file("x".repeat(700_000)) }), status: 201, reply: added },
    {
      name: "together with others",
      ...add({ b: file("x".repeat(400_000)) }),
      status: 403,
    },
    {
      name: "in the place of one",
      ...add({ a: file("short") }, { url: `${url}&overwrite=true` }),
      status: 201,
      reply: added,
    },
    { name: "two", ...add({ B: env("two words"), "c.pem": file("\0") }), status: 201, reply: added },
    {
      name: "one of them again",
      ...add({ NEW: env("1"), B: env("3") }),
      status: 409,
      reply: "Operation cancelled. Secret B already exists. If you want change it use overwrite",
    },
    {
      name: "names and kinds alone",
      url,
      status: 200,
      reply: [
        { name: "B", type: "env" },
        { name: "a", type: "file" },
        { name: "c.pem", type: "file" },
      ],
    },
    { name: "another's are others", url: `/api/secrets?${T(bob)}`, status: 200, reply: [] },
    { name: "deleted", method: "DELETE", url, body: ["a", "B"], status: 200, reply: ["a", "B"] },
    { name: "one is left", url, status: 200, reply: [{ name: "c.pem", type: "file" }] },
  ]);

  test("deleting a missing secret names the secret, and deletes no secret", async () => {
    const reply = await api.inject({ method: "DELETE", url, payload: ["x", "c.pem", "y"] });
    expect([reply.statusCode, reply.json()]).toEqual([404, ["x", "y"]]);
    conforms("DELETE", "/api/secrets/", reply);
    expect((await api.inject(url)).json()).toHaveLength(1);
  });

  test("are carried out once for an idempotency key", async () => {
    const request = {
      method: "POST" as const,
      url,
      payload: { ONCE: env("guess-me") },
      headers: { "idempotency-key": "k" },
    };
    const replies = [await api.inject(request), await api.inject(request)];
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect(replies[1]!.headers["idempotency-replayed"]).toBe("true");
  });
});

/** Starts a run of one job, and waits until the job is submitted. */
async function began(user: Awaited<ReturnType<typeof api.makeUser>>, name: string) {
  const { id } = await createRun(api, user, name, serial(["first"]));
  const index = api.backend.started.length;
  await changeStatus(api, user, id, "start");
  return { id, index, job: await api.backend.startedJob(index) };
}

describe("jobs", () => {
  test("get the user's secrets at dispatch, and no secrets of other users", async () => {
    const ada = await api.makeUser();
    const bob = await api.makeUser();
    await api.inject({
      method: "POST",
      url: `/api/secrets?${T(ada)}`,
      payload: { A: env("a value"), "f.txt": file("a file") },
    });
    const { index } = await began(ada, "with");
    expect(api.backend.secrets[index]).toEqual({
      environment: { A: "a value" },
      files: new Map([["f.txt", Buffer.from("a file")]]),
    });
    expect(api.backend.secrets[(await began(bob, "without")).index]).toBeUndefined();
  });

  test("their printed secrets are masked everywhere, even after the secrets are removed", async () => {
    const ada = await api.makeUser();
    const url = `/api/secrets?${T(ada)}`;
    await api.inject({
      method: "POST",
      url,
      payload: { KEY: env("hunter22"), pem: file("BEGIN KEY\nabcdefghij\nshort\n") },
    });
    const { id, job } = await began(ada, "print");
    await api.inject({ method: "DELETE", url, payload: ["KEY"] });
    api.backend.print(job, "the key: hunter22 and abcdefghij, short\nhunt");
    const get = (what: string) => api.inject(`/api/workflows/${id}/${what}?${T(ada)}`);
    const clean = "the key: ******** and **********, short\n****";

    expect((await get(`jobs/${job}/log`)).body).toContain(clean);
    const whole = (await get(`jobs/${job}/log`)).body;
    for (let from = 0; from < whole.length; from += 1) {
      const part = await api.inject(`/api/workflows/${id}/jobs/${job}/log?from=${from}&${T(ada)}`);
      expect(part.body).toBe(whole.slice(from));
    }
    const end = await api.inject(`/api/workflows/${id}/jobs/${job}/log?from=-12&${T(ada)}`);
    expect(end.body).toBe(whole.slice(-12));
    api.backend.print(job, "er22\n");
    expect((await get(`jobs/${job}/log`)).body).toContain("short\n********\n");

    api.backend.end(job, { exitCode: 1 });
    await untilStatus(api, ada, id, "failed");
    for (const what of ["status", "logs", "failure", "events"]) {
      const { body } = await get(what);
      expect([what, body.includes("hunter22"), body.includes("abcdefghij")]).toEqual([what, false, false]);
    }
    expect((await get("failure")).body).toContain("the key: ********");
    expect(api.logged.join("")).not.toContain("hunter22");
  });

  test("a secret added while a log is followed is masked from then on", async () => {
    const ada = await api.makeUser();
    const { id, job } = await began(ada, "follow");
    const caller = { ...ada, isAdmin: false };
    const wanted = { address: id, job, from: 0, follow: true };
    const log = await followJobLog(api.operations, caller, wanted);
    const chunks = log.chunks(new AbortController().signal);
    api.backend.print(job, "before\n");
    expect(String((await chunks.next()).value)).toBe("log of first\nbefore\n");
    await api.inject({ method: "POST", url: `/api/secrets?${T(ada)}`, payload: { KEY: env("hunter22") } });
    api.backend.print(job, "hunter22\n");
    expect(String((await chunks.next()).value)).toBe("********\n");
    await chunks.return(undefined);
  });

  test("removed secrets are kept only as long as a log that may contain them", async () => {
    const ada = await api.makeUser();
    const url = `/api/secrets?${T(ada)}`;
    const kept = async () => (await allSealedSecrets(db, ada.id)).length;
    await api.inject({ method: "POST", url, payload: { OLD: env("old one") } });
    await api.inject({ method: "DELETE", url, payload: ["OLD"] });
    expect(await kept()).toBe(0);

    await api.inject({ method: "POST", url, payload: { KEY: env("hunter22"), OTHER: env("stays") } });
    const { id, job } = await began(ada, "short");
    await api.inject({ method: "DELETE", url, payload: ["KEY"] });
    api.backend.end(job);
    await untilStatus(api, ada, id, "finished");
    expect(await kept()).toBe(2);
    await changeStatus(api, ada, id, "deleted");
    expect(await kept()).toBe(1);
  });

  test("replacing secrets repeatedly does not pile up old ones", async () => {
    const ada = await api.makeUser();
    const url = `/api/secrets?overwrite=true&${T(ada)}`;
    const { id, job } = await began(ada, "replace");
    const add = async (letter: string) => {
      const payload = { BIG: file(letter.repeat(700_000)) };
      return (await api.inject({ method: "POST", url, payload })).statusCode;
    };
    const statuses = [];
    for (const letter of "abcd") statuses.push(await add(letter));
    expect(statuses).toEqual([201, 201, 403, 403]);
    api.backend.end(job);
    await untilStatus(api, ada, id, "finished");
    await changeStatus(api, ada, id, "deleted");
    expect(await add("e")).toBe(201);
    expect(await allSealedSecrets(db, ada.id)).toHaveLength(1);
  });

  test("no value is stored in the clear", async () => {
    const ada = await api.makeUser();
    await api.inject({
      method: "POST",
      url: `/api/secrets?${T(ada)}`,
      payload: { KEY: env("hunter22") },
    });
    const [sealed] = await allSealedSecrets(db, ada.id);
    expect(sealed).not.toContain("hunter22");
    expect(sealed).not.toContain(base64("hunter22"));
    expect(api.operations.tokenSeal.open(sealed!)).toBe(base64("hunter22"));
  });
});
