import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { ContentSketch } from "#plumbing/files/content-sketch";
import { zipOf } from "#plumbing/zip/zip-fixture";
import type { FixtureUser } from "../../support/api-fixture.ts";
import { T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";

const fixture = await reuseFixture();
const { api, ada, ran, step } = fixture;
afterAll(() => fixture.close());

interface FoundFile {
  workflow_id: string;
  path: string;
  inside: string | null;
  role: string;
  presence: string;
  made_by: { label: string }[];
  likeness?: number | null;
}

interface Reply {
  items: FoundFile[];
  nearest: FoundFile[];
  pending_runs: number;
}

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");

/** Asks about a content, again while runs of the user are being indexed. */
async function originOf(content: string, more = "", user: FixtureUser = ada): Promise<Reply> {
  const sketch = new ContentSketch();
  sketch.update(Buffer.from(content));
  const query = `sha256=${sha256(content)}&bytes=${content.length}&chunks=${sketch.digests().join()}${more}`;
  const ask = async () => {
    const reply = await api.inject(`/api/origin?${query}&${T(user)}`);
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)]);
    return reply.json<Reply>();
  };
  await expect.poll(async () => (await ask()).pending_runs).toBe(0);
  return ask();
}

function writing(command: string, output: string): Specification {
  return {
    inputs: { parameters: {} },
    outputs: { files: [output] },
    workflow: { type: "serial", specification: { steps: [step("write", command)] } },
  } as Specification;
}

/** The lines of `seq FIRST LAST`. */
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`);

describe("the nearest files of a content that no run has", () => {
  test("share chunks with it, are visible to the user, and name their step", async () => {
    const id = await ran(writing("mkdir -p out; seq 1 4000 > out/table", "out/table"));
    const changed = numbers(1, 4000).with(7, "x\n").with(2000, "y\n").join("");
    const { items, nearest } = await originOf(changed);
    expect(items).toEqual([]);
    expect(nearest).toMatchObject([
      { workflow_id: id, path: "out/table", inside: null, presence: "there", made_by: [{ label: "write" }] },
    ]);
    expect(nearest[0]!.likeness).toBeGreaterThan(0.7);
    expect((await originOf(numbers(1, 4000).join(""))).nearest).toEqual([]);
    const bob = await api.makeUser("bob@example.org");
    expect(await originOf(changed, "&name=table", bob)).toMatchObject({ items: [], nearest: [] });
    const payload = { user_email_to_share_with: bob.email };
    await api.inject({ method: "POST", url: `/api/workflows/${id}/share?${T(ada)}`, payload });
    expect((await originOf(changed, "", bob)).nearest).toMatchObject([{ workflow_id: id }]);
  });

  test("have its name if no chunk is the same; the nearest size comes first, and of one content the newest run", async () => {
    const [long, short, near, again] = [
      await ran(writing("seq 10000 10900 > named.txt", "named.txt")),
      await ran(writing("seq 20000 20100 > named.txt", "named.txt")),
      await ran(writing("seq 30000 30500 > named.txt", "named.txt")),
      await ran(writing("seq 30000 30500 > named.txt", "named.txt")),
    ];
    const { nearest } = await originOf("z".repeat(3000), "&name=named.txt");
    expect(nearest.map(({ workflow_id: run, likeness }) => [run, likeness])).toEqual([
      [again, 0],
      [short, 0],
      [long, 0],
    ]);
    expect(nearest.map(({ workflow_id: run }) => run)).not.toContain(near);
    expect((await originOf("z".repeat(3000), "&name=other.txt")).nearest).toEqual([]);
  });

  test("are not looked for with a sketch that is too long or is no sketch", async () => {
    const refused = async (chunks: string) =>
      (await api.inject(`/api/origin?sha256=${sha256("")}&chunks=${chunks}&${T(ada)}`)).statusCode;
    expect(await refused("abc")).toBe(400);
    expect(await refused(Array.from({ length: 17 }, () => "0".repeat(14)).join())).toBe(400);
  });
});

describe("a file inside an archive of a run", () => {
  const unpacked = (bytes: Buffer, name: string) =>
    writing(`echo ${bytes.toString("base64")} | base64 -d > ${name}`, name);

  test.each([
    ["a zip", "pack.zip", "deep/in-zip.txt", () => zipOf({ "deep/in-zip.txt": "in a zip\n" }), "in a zip\n"],
    ["a gzip", "table.csv.gz", "table.csv", async () => gzipSync("in a gzip\n"), "in a gzip\n"],
  ])(
    "that is %s is found, with the step that wrote the archive",
    async (_kind, name, inside, bytes, content) => {
      const id = await ran(unpacked(await bytes(), name));
      expect((await originOf(content)).items).toMatchObject([
        {
          workflow_id: id,
          path: name,
          inside,
          role: "output",
          presence: "there",
          made_by: [{ label: "write" }],
        },
      ]);
    },
  );

  test("is not found if the archive holds a name that leads out of it, and the archive still is", async () => {
    const bytes = await zipOf({ "../evil": "evil\n" });
    await ran(unpacked(bytes, "evil.zip"));
    expect((await originOf("evil\n")).items).toEqual([]);
    const whole = await api.inject(
      `/api/origin?sha256=${createHash("sha256").update(bytes).digest("hex")}&${T(ada)}`,
    );
    expect(whole.json<Reply>().items).toMatchObject([{ path: "evil.zip", inside: null }]);
  });
});
