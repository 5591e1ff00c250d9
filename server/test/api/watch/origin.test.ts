import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createRetention } from "#operations/files/retention";
import { FileIndex } from "#operations/watch/origin/file-index";
import { maybeClaimRun, releaseClaim } from "#store/origin/index-claims";
import type { FixtureUser } from "../../support/api-fixture.ts";
import { T } from "../../support/run-rows.ts";
import { cwlReuseFixture } from "../../support/scenarios/cwl-reuse-fixture.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const fixture = await reuseFixture();
const { api, db, ada, ran, restart, fileOf, step, chain } = fixture;
const cwl = await cwlReuseFixture();
afterAll(async () => {
  await fixture.close();
  await cwl.close();
});

interface Step {
  label: string;
  workflow_name: string;
  display_command: string;
  image_digest: string | null;
}

interface OriginReply {
  items: {
    workflow_id: string;
    workflow_name: string;
    path: string;
    role: string;
    presence: string;
    made_by: Step[];
    doubt: string | null;
    parameters: object;
  }[];
  chain: {
    files: { path: string; workflow_name: string; is_given: boolean }[];
    steps: (Step & { reads: number[]; writes: number[] })[];
    is_cut: boolean;
    is_declared: boolean;
  } | null;
  pending_runs: number;
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const NOWHERE = sha256("in no run");

/** Asks again while the server's own sweep indexes a run of the user, until `pending` runs are left. */
async function originOf(digest: string, user: FixtureUser = ada, from = api, pending = 0) {
  const ask = async () => {
    const reply = await from.inject(`/api/origin?sha256=${digest}&${T(user)}`);
    expect(reply.statusCode).toBe(200);
    return reply.json<OriginReply>();
  };
  await expect.poll(async () => (await ask()).pending_runs).toBe(pending);
  return ask();
}

/** Two steps, the second of which appends to a file of the first. */
function withOutputs(word: string): Specification {
  const outputs = { files: ["out/plot"] };
  const { inputs, workflow } = chain();
  const [prepare, fit, plot] = workflow.specification.steps;
  plot!.commands = [plot!.commands[0]!.replace("> out/plot", `> out/plot; echo ${word} >> out/plot`)];
  return {
    inputs,
    workflow: { ...workflow, specification: { steps: [prepare!, fit!, plot!] } },
    outputs,
  } as Specification;
}

describe("GET /api/origin", async () => {
  await runScenarios(api, [
    { name: "without a token", url: `/api/origin?sha256=${NOWHERE}`, status: 401 },
    { name: "no digest", url: `/api/origin?${T(ada)}`, status: 400 },
    { name: "a word that is not a digest", url: `/api/origin?sha256=abc&${T(ada)}`, status: 400 },
    {
      name: "a digest of no file",
      url: `/api/origin?sha256=${NOWHERE}&${T(ada)}`,
      status: 200,
      reply: { sha256: NOWHERE, items: [], is_cut: false, chain: null, nearest: [], pending_runs: 0 },
    },
  ]);

  test("names run, step, command and parameters, and the chain back to the files that no run made", async () => {
    const id = await ran(withOutputs("one"));
    const { items, chain: made } = await originOf(sha256("one\ntwo\n1\none\n"));
    expect(items).toMatchObject([
      {
        workflow_id: id,
        path: "out/plot",
        role: "output",
        presence: "there",
        doubt: null,
        parameters: { n: 1, unused: 1 },
        made_by: [{ label: "plot", display_command: expect.stringContaining("> out/plot") as string }],
      },
    ]);
    expect(made).toMatchObject({ is_cut: false, is_declared: false });
    const nameOf = (index: number) => made!.files[index]!.path;
    expect(
      made!.steps.map(({ label, reads, writes }) => [label, reads.map(nameOf), writes.map(nameOf)]),
    ).toEqual([
      ["plot", ["code/a.sh", "data/in.txt", "out/prepared", "out/fit"], ["out/plot"]],
      ["prepare", ["code/a.sh", "data/in.txt"], ["out/prepared"]],
      ["fit", ["code/a.sh", "data/in.txt", "out/prepared"], ["out/fit"]],
    ]);
    expect(made!.files.filter((file) => file.is_given).map(({ path }) => path)).toEqual([
      "code/a.sh",
      "data/in.txt",
    ]);
  });

  test("finds files between the steps and inputs, which no step made", async () => {
    const id = await ran(withOutputs("between"));
    const between = await originOf(sha256("one\ntwo\n1\n"));
    expect(between.items.find(({ workflow_id: run }) => run === id)).toMatchObject({
      path: "out/fit",
      role: "written",
      made_by: [{ label: "fit" }],
    });
    const input = await originOf(sha256("two\n"));
    expect(input.items.find(({ workflow_id: run }) => run === id)).toMatchObject({
      path: "code/a.sh",
      role: "input",
      made_by: [],
    });
    expect(input.chain).toBeNull();
  });

  test("names both steps that changed a file, and the reason", async () => {
    await ran({
      inputs: { files: ["data/in.txt"], directories: ["code"], parameters: {} },
      outputs: { files: ["table"] },
      workflow: {
        type: "serial",
        specification: { steps: [step("head", "echo a > table"), step("tail", "echo b >> table")] },
      },
    } as Specification);
    const { items } = await originOf(sha256("a\nb\n"));
    expect(items[0]!.made_by.map(({ label }) => label)).toEqual(["tail", "head"]);
    expect(items[0]!.doubt).toBe(
      "head and tail changed the file one after the other: the last step may have kept parts of the earlier content.",
    );
  });

  test("says that a file has changed, or is gone, and keeps it after the run is deleted", async () => {
    const id = await ran(withOutputs("kept"));
    const digest = sha256("one\ntwo\n1\nkept\n");
    const presence = async () => (await originOf(digest)).items.map((item) => item.presence);
    expect(await presence()).toEqual(["there"]);
    await writeFile(await fileOf(id, "out/plot"), "other");
    expect(await presence()).toEqual(["changed"]);
    await rm(await fileOf(id, "out/plot"));
    expect(await presence()).toEqual(["gone"]);
    const url = `/api/workflows/${id}/status?status=deleted&${T(ada)}`;
    expect((await api.inject({ method: "PUT", url, payload: { workspace: true } })).statusCode).toBe(200);
    expect((await originOf(digest)).items).toMatchObject([
      { workflow_id: id, presence: "gone", made_by: [{ label: "plot" }] },
    ]);
  });

  test("follows a file that an earlier run made and a later run read", async () => {
    const first = await ran(withOutputs("earlier"));
    const second = await fixture.created({
      inputs: { files: ["plot", "data/in.txt"], directories: ["code"], parameters: {} },
      outputs: { files: ["copy"] },
      workflow: { type: "serial", specification: { steps: [step("copy", "cat plot plot > copy")] } },
    } as Specification);
    await fixture.upload(second.id, "plot", await readFile(await fileOf(first, "out/plot"), "utf8"));
    await api.inject({ method: "PUT", url: `/api/workflows/${second.id}/status?status=start&${T(ada)}` });
    await fixture.untilOver(second.id, "finished");
    const { chain: made } = await originOf(sha256("one\ntwo\n1\nearlier\n".repeat(2)));
    expect(made!.steps.map(({ label }) => label)).toEqual(["copy", "plot", "prepare", "fit"]);
    expect(new Set(made!.steps.map((one) => one.workflow_name)).size).toBe(2);
  });

  test("keeps the steps of the first run after a restart that took them over", async () => {
    const id = await ran(withOutputs("restarted"));
    const again = await restart(id);
    expect(again.steps).toEqual([]);
    const { items } = await originOf(sha256("one\ntwo\n1\nrestarted\n"));
    expect(items.map(({ workflow_id: run, made_by: by }) => [run, by.map(({ label }) => label)])).toEqual([
      [id, ["plot"]],
      [again.id, []],
    ]);
  });

  test("names the jobs of a CWL run by the inputs that they declare", async () => {
    const { id } = await cwl.ran();
    const result = await cwl.contentOf(id, "outputs/made.txt");
    const { items, chain: made } = await originOf(sha256(result), cwl.ada, cwl.api);
    expect(items[0]).toMatchObject({
      workflow_id: id,
      role: "output",
      doubt: null,
      made_by: [{ label: "report" }],
    });
    expect(made!.is_declared).toBe(true);
    expect(made!.steps.map(({ label }) => label.split(" ")[0])).toEqual([
      "report",
      "sum",
      "count",
      "count",
      "count",
    ]);
    const given = made!.files.filter((file) => file.is_given).map(({ path }) => path);
    expect(given).toEqual(["data/a.txt", "data/b.txt", "data/c.txt"]);
  });
});

describe("the origin of a file that belongs to another user", () => {
  test("is told to nobody but the users with whom the run is shared, until the share ends", async () => {
    const id = await ran(withOutputs("secret"));
    const digest = sha256("one\ntwo\n1\nsecret\n");
    const [bob, stranger] = [await api.makeUser("bob@example.org"), await api.makeUser()];
    await originOf(digest);
    const nothing = { items: [], chain: null, pending_runs: 0 };
    expect(await originOf(digest, bob)).toMatchObject(nothing);
    const payload = { user_email_to_share_with: bob.email };
    await api.inject({ method: "POST", url: `/api/workflows/${id}/share?${T(ada)}`, payload });
    expect((await originOf(digest, bob)).items).toMatchObject([
      { workflow_id: id, made_by: [{ label: "plot" }] },
    ]);
    for (const other of [stranger, api.admin]) expect(await originOf(digest, other)).toMatchObject(nothing);
    const query = `user_email_to_unshare_with=${bob.email}&${T(ada)}`;
    await api.inject({ method: "POST", url: `/api/workflows/${id}/unshare?${query}` });
    expect(await originOf(digest, bob)).toMatchObject(nothing);
  });
});

describe("the index", () => {
  test("keeps files that a prune or a retention rule deleted, and says that they are gone", async () => {
    const scratch = (word: string) =>
      ({
        workspace: { retention_days: { scratch: 1 } },
        inputs: { parameters: {} },
        outputs: { files: ["kept"] },
        workflow: {
          type: "serial",
          specification: { steps: [step("write", `echo ${word} > scratch; echo kept > kept`)] },
        },
      }) as Specification;
    const presence = async (word: string) =>
      (await originOf(sha256(`${word}\n`))).items.map((item) => [item.presence, item.made_by[0]!.label]);
    const pruned = await ran(scratch("pruned"));
    await ran(scratch("ruled"));
    expect([await presence("pruned"), await presence("ruled")]).toEqual([
      [["there", "write"]],
      [["there", "write"]],
    ]);
    const url = `/api/workflows/${pruned}/prune?${T(ada)}`;
    expect((await api.inject({ method: "POST", url })).statusCode).toBe(200);
    expect(await presence("pruned")).toEqual([["gone", "write"]]);
    const { clock } = api.operations;
    const later = { ...clock, now: () => clock.now() + 2 * 86_400_000 };
    expect(await createRetention({ ...api.operations, clock: later }, "host")()).toBeGreaterThan(0);
    expect(await presence("ruled")).toEqual([["gone", "write"]]);
  });

  test("is filled for earlier runs, once by a single server", async () => {
    const id = await ran(withOutputs("before"));
    const digest = sha256("one\ntwo\n1\nbefore\n");
    await originOf(digest);
    await db.updateTable("runs").set({ indexed_at: null }).where("id", "=", id).execute();
    const claimed = await maybeClaimRun(db);
    expect(claimed!.run.id).toBe(id);
    expect(await maybeClaimRun(db)).toBeUndefined();
    await originOf(digest, ada, api, 1);
    await releaseClaim(db, claimed!);
    expect((await originOf(digest)).items).toHaveLength(1);
  });

  test("is taken over from a server that died in the middle", async () => {
    const id = await ran(withOutputs("died"));
    const digest = sha256("one\ntwo\n1\ndied\n");
    await originOf(digest);
    const before = await db
      .selectFrom("run_files")
      .selectAll()
      .orderBy("run_seq")
      .orderBy("position")
      .execute();
    await db
      .updateTable("runs")
      .set({ indexed_at: null, index_claimed_at: 1 })
      .where("id", "=", id)
      .execute();
    await new FileIndex(api.operations).look();
    const after = await db
      .selectFrom("run_files")
      .selectAll()
      .orderBy("run_seq")
      .orderBy("position")
      .execute();
    expect(after).toEqual(before);
  });
});
