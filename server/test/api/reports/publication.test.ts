import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openDeposits } from "#sources/deposits/open-deposits";
import { idsOf, openCrate } from "../../support/crates/open-crate.ts";
import { type InvenioFault, openFakeInvenio } from "../../support/fakes/fake-invenio.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, refusalRows, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Publications on a stand-in of InvenioRDM, which was written from the documentation and never compared with a real one. */
const invenio = await openFakeInvenio();
const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-publication-"));
const clock = movableClock();
const deposits = openDeposits({ folder, privateHosts: [invenio.host], silenceMs: 300 });
const fixture = await reuseFixture({ parts: { clock, deposits } });
const { api, ada, ran, created, step, upload, untilOver } = fixture;
afterAll(async () => {
  await fixture.close();
  await invenio.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  invenio.asked.splice(0);
  invenio.mend();
});

interface Reply {
  readonly state: string;
  readonly url: string | null;
  readonly doi: string | null;
  readonly problem: string | null;
  readonly citation: string | null;
  readonly message?: string;
}

const CREATORS = [{ name: "Lovelace, Ada", orcid: "0000-0002-1825-0097", affiliation: "Analytical Society" }];
const specification = {
  inputs: { files: ["data/in.txt"] },
  workflow: { type: "serial", specification: { steps: [step("fit", "cat data/in.txt > out.txt")] } },
  outputs: { files: ["out.txt"] },
} as Specification;

async function storeToken(token: string): Promise<void> {
  const payload = { DEPOSIT_TOKEN: { type: "env", value: Buffer.from(token).toString("base64") } };
  await api.inject({ method: "POST", url: `/api/secrets?overwrite=true&${T(ada)}`, payload });
}
await storeToken(invenio.token);

async function ask(run: string, body: object = {}, user = ada) {
  const url = `/api/workflows/${run}/publication?${T(user)}`;
  const reply = await api.inject({ method: "POST", url, payload: body });
  return { status: reply.statusCode, ...reply.json<Reply>() };
}

const TO = { to: invenio.url, secret: "DEPOSIT_TOKEN", creators: CREATORS };

async function publication(run: string, user = ada): Promise<Reply> {
  return (await api.inject(`/api/workflows/${run}/publication?${T(user)}`)).json<Reply>();
}

/** Lets time pass until the server has taken all steps. */
async function settled(run: string): Promise<Reply> {
  for (;;) {
    const reply = await publication(run);
    if (reply.state !== "sending") return reply;
    clock.pass(10_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function published(run: string, body: object = TO): Promise<Reply> {
  expect(await ask(run, body)).toMatchObject({ status: 202, state: "sending" });
  return settled(run);
}

/** Returns the only deposit of a run. */
function onlyDeposit(run: string) {
  const all = [...invenio.deposits.values()].filter(({ metadata }) => JSON.stringify(metadata).includes(run));
  expect(all).toHaveLength(1);
  return all[0]!;
}

function expectWhole(run: string, reply: Reply): void {
  const deposit = onlyDeposit(run);
  expect(reply).toMatchObject({
    problem: null,
    doi: deposit.doi,
    url: expect.stringContaining(deposit.id) as string,
  });
  expect([...deposit.files.values()].map(({ isCommitted }) => isCommitted)).toEqual([true]);
}

describe("POST publication", async () => {
  const ended = await created(specification);
  await changeStatus(api, ada, ended.id, "start");
  await untilOver(ended.id, "finished");
  await runScenarios(
    api,
    await refusalRows(api, "POST", ended, (run) => `/api/workflows/${run}/publication`),
  );
  await runScenarios(api, await refusalRows(api, "GET", ended, (run) => `/api/workflows/${run}/publication`));

  test("makes a draft with the crate and a reserved DOI, named by crate, status and report", async () => {
    const run = await ran(specification);
    const reply = await published(run, {
      ...TO,
      title: "Fit <of> the Z",
      license: "https://spdx.org/licenses/CC-BY-4.0",
    });
    const deposit = onlyDeposit(run);
    expect(reply).toMatchObject({
      state: "draft",
      problem: null,
      url: `${invenio.url}/uploads/${deposit.id}`,
      doi: deposit.doi,
      citation: expect.stringMatching(
        /^Lovelace, A\. \(20\d\d\)\. Fit <of> the Z \(w\d+\.1\) \[Data set\]\. 127\.0\.0\.1\. https:\/\/doi\.org\/10\.5072\//,
      ) as string,
    });
    expect(deposit.metadata).toMatchObject({
      title: "Fit <of> the Z",
      publisher: "127.0.0.1",
      resource_type: { id: "dataset" },
      rights: [{ id: "cc-by-4.0" }],
      identifiers: [{ scheme: "urn", identifier: `urn:uuid:${run}` }],
      creators: [
        {
          person_or_org: {
            type: "personal",
            family_name: "Lovelace",
            given_name: "Ada",
            identifiers: [{ scheme: "orcid", identifier: "0000-0002-1825-0097" }],
          },
          affiliations: [{ name: "Analytical Society" }],
        },
      ],
    });
    const [name, { content: stored }] = [...deposit.files][0]!;
    const content = stored!;
    expect(name).toMatch(/^w\d+\.1\.crate\.zip$/);
    expect(reply).toMatchObject({
      file: { name, bytes: content.length, md5: createHash("md5").update(content).digest("hex") },
    });
    const { entities, files } = await openCrate(content);
    expect(entities.get("./")!["identifier"]).toEqual([run, `https://doi.org/${deposit.doi}`]);
    expect(idsOf(entities.get("./")!["license"])).toEqual(["https://spdx.org/licenses/CC-BY-4.0"]);
    expect(files.get("ro-crate-preview.html")!.toString()).toContain(deposit.doi);
    for (const file of files.values()) expect(file.includes(invenio.token)).toBe(false);
    const status = await api.inject(`/api/workflows/${run}/status?${T(ada)}`);
    expect(status.json<{ doi: string }>().doi).toBe(deposit.doi);
    const report = await api.inject(`/api/workflows/${run}/report?${T(ada)}`);
    expect(report.body).toContain(`https://doi.org/${deposit.doi}`);
    expect(await readdir(folder)).toEqual([]);
  });

  test("publishes the draft if asked to, and refuses to publish again", async () => {
    const run = await ran(specification);
    await published(run);
    const { id, doi } = onlyDeposit(run);
    expect(await published(run, { submit: true })).toMatchObject({
      state: "published",
      url: `${invenio.url}/records/${id}`,
      doi,
    });
    expect(onlyDeposit(run).isPublished).toBe(true);
    expect(await ask(run, { submit: true })).toMatchObject({
      status: 409,
      message: expect.stringMatching(
        /cannot be published: it is already, as https:\/\/doi\.org\/10\.5072\//,
      ) as string,
    });
  });

  test("takes title, creators, licence and keywords from CITATION.cff, and cites without a deposit", async () => {
    const run = await created(specification);
    const cff = [
      "cff-version: 1.2.0",
      "title: The fit",
      "license: MIT",
      "keywords: [physics, fit]",
      "authors:",
      "  - {family-names: Lovelace, given-names: Ada Augusta, orcid: 'https://orcid.org/0000-0002-1825-0097'}",
      "  - {name: The Analytical Society}",
    ];
    await upload(run.id, "CITATION.cff", cff.join("\n"));
    await changeStatus(api, ada, run.id, "start");
    await untilOver(run.id, "finished");
    expect((await publication(run.id)).citation).toMatch(
      /^Lovelace, A\. A\.; The Analytical Society \(20\d\d\)\. The fit \(w\d+\.1\) \[Data set\]\. Unpublished\. urn:uuid:/,
    );
    const { creators: _, ...withoutCreators } = TO;
    await published(run.id, withoutCreators);
    expect(onlyDeposit(run.id).metadata).toMatchObject({
      title: "The fit",
      rights: [{ id: "mit" }],
      subjects: [{ subject: "physics" }, { subject: "fit" }],
      creators: [
        { person_or_org: { family_name: "Lovelace", given_name: "Ada Augusta" } },
        { person_or_org: { type: "organizational", name: "The Analytical Society" } },
      ],
    });
  });

  test.each([
    ["without a place", { creators: CREATORS }, 400, "Missing place to publish"],
    ["to an unknown word", { ...TO, to: "figshare" }, 400, '"figshare" is not a place to publish'],
    [
      "with a password in the address",
      { ...TO, to: "https://a:b@example.org" },
      400,
      "is not a place to publish",
    ],
    ["without creators", { to: TO.to, secret: TO.secret }, 400, "its creators are unknown"],
    ["without a token", { ...TO, secret: "NOT_STORED" }, 409, "You have no secret NOT_STORED"],
    [
      "with the token of another server",
      { ...TO, secret: "ZENODO_TOKEN" },
      400,
      "The secret ZENODO_TOKEN is for zenodo.org",
    ],
    [
      "to an unnamed secret",
      { to: TO.to, creators: CREATORS },
      400,
      "store it as a secret, and name the secret",
    ],
    ["over plain http", { ...TO, to: "http://example.org" }, 501, "--deposit-private-hosts"],
    ["to a private address", { ...TO, to: "https://169.254.169.254" }, 501, "deposits there are not made"],
  ])("is refused %s", async (_what, body, status, message) => {
    const run = await ran(specification);
    expect(await ask(run, body)).toMatchObject({
      status,
      message: expect.stringContaining(message) as string,
    });
    expect(await publication(run)).toMatchObject({ state: "none" });
    expect(invenio.asked).toEqual([]);
  });

  test("is refused before the end of the run, and to a second server while a draft exists", async () => {
    const fresh = await created(specification);
    expect(await ask(fresh.id, TO)).toMatchObject({
      status: 409,
      message: expect.stringContaining("not been started") as string,
    });
    const run = await ran(specification);
    await published(run);
    expect(await ask(run, { ...TO, to: "https://rdm.example.org" })).toMatchObject({
      status: 409,
      message: expect.stringContaining(`it has a draft on ${invenio.host}`) as string,
    });
  });
});

/** The stand-in fails, hangs, loses its answers and answers twice at each step; the deposit is one and whole all the same. */
describe("a faulty server", () => {
  const STEPS = [
    ["the search", /^GET \/user\/records/],
    ["making the draft", /^POST \/records$/],
    ["reserving the DOI", /pids\/doi$/],
    ["listing the files", /^GET .*\/files$/],
    ["announcing the file", /^POST .*\/files$/],
    ["sending the file", /content$/],
    ["completing the file", /commit$/],
    ["publishing", /actions\/publish$/],
  ] as const;
  const FAULTS = [
    ["fails", { kind: "fails", status: 503 }],
    ["has too many requests", { kind: "fails", status: 429 }],
    ["hangs", "hangs"],
    ["loses its answer", "loses its answer"],
    ["answers twice", "answers twice"],
  ] as const;

  test.each(FAULTS)("%s at each step in turn, and one whole record comes out", async (_what, fault) => {
    const run = await ran(specification);
    for (const [, what] of STEPS) invenio.next(what, fault);
    const reply = await published(run, { ...TO, submit: true });
    expect(reply.state).toBe("published");
    expectWhole(run, reply);
  });

  test.each(STEPS.slice(2).map(([, what]) => what.source))(
    "gets a request twice at %s, and one whole record comes out",
    async (what) => {
      const run = await ran(specification);
      invenio.next(new RegExp(what), "is asked twice");
      const reply = await published(run, { ...TO, submit: true });
      expectWhole(run, reply);
    },
  );

  test("gets no second draft while the search does not show the first draft yet", async () => {
    const run = await ran(specification);
    invenio.isIndexed = false;
    invenio.next(/^POST \/records$/, "loses its answer");
    await ask(run, TO);
    for (let looks = 0; looks < 4; looks += 1) {
      clock.pass(2000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    invenio.isIndexed = true;
    expectWhole(run, await settled(run));
    expect(invenio.asked.filter((one) => one === "POST /records")).toHaveLength(1);
  });

  test("that has stored other bytes receives the file a second time", async () => {
    const run = await ran(specification);
    invenio.next(/content$/, "damages the file");
    expectWhole(run, await published(run));
    expect(invenio.asked.filter((one) => one.endsWith("/content"))).toHaveLength(2);
  });

  test.each<[string, RegExp, InvenioFault]>([
    ["loses its answer to the content", /content$/, "loses its answer"],
    ["fails to complete the file", /commit$/, { kind: "fails", status: 503 }],
  ])("that %s does not receive the content again", async (_what, request, fault) => {
    const run = await ran(specification);
    invenio.next(request, fault);
    expectWhole(run, await published(run));
    expect(invenio.asked.filter((one) => one.endsWith("/content"))).toHaveLength(1);
  });

  test("is quoted without the token after a refusal, and a later request continues with the draft", async () => {
    const run = await ran(specification);
    const body = {
      message: `Bad request with Bearer ${invenio.token}`,
      errors: [{ field: "metadata.rights.0.id", messages: ["Invalid value."] }],
    };
    invenio.next(/pids\/doi$/, { kind: "fails", status: 400, body });
    const { state, problem } = await published(run);
    expect([state, problem]).toEqual([
      "failed",
      expect.stringMatching(
        /returned the status 400: Bad request with Bearer \**; metadata\.rights\.0\.id: Invalid value\.$/,
      ),
    ]);
    expect(problem).not.toContain(invenio.token);
    expectWhole(run, await published(run, {}));
  });

  test("is not followed elsewhere, neither by a redirect nor by an address in a reply", async () => {
    const run = await ran(specification);
    invenio.next(/^GET \/user/, { kind: "fails", status: 302 });
    expect(await published(run)).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("the token is sent to no other address") as string,
    });
  });

  test("gets another draft by the next request after its owner deleted the draft", async () => {
    const run = await ran(specification);
    await published(run);
    invenio.remove(onlyDeposit(run).id);
    expect(await published(run, { submit: true })).toMatchObject({
      state: "failed",
      doi: null,
      problem: "The draft was deleted there. Publish the workflow again to make another one.",
    });
    const status = await api.inject(`/api/workflows/${run}/status?${T(ada)}`);
    expect(status.json()).not.toHaveProperty("doi");
    expectWhole(run, await published(run));
  });

  test("counts as published after its owner published the draft by hand", async () => {
    const run = await ran(specification);
    await published(run);
    invenio.publish(onlyDeposit(run).id);
    expect(await published(run, {})).toMatchObject({ state: "published" });
  });

  test("is quoted with the scopes to check if the token is unknown there", async () => {
    const run = await ran(specification);
    await storeToken("another-token-of-ada");
    expect(await published(run)).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("deposit:write, deposit:actions") as string,
    });
    await storeToken(invenio.token);
    expectWhole(run, await published(run, TO));
  });
});

test("neither logs nor events hold the token", async () => {
  expect(api.logged.filter((line) => line.includes(invenio.token))).toEqual([]);
});
