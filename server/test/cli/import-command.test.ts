import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { oneDefinition } from "#store/runs/runs";
import { makeZip, type MadeEntry } from "../api/files/make-zip.ts";
import { changeStatus } from "../support/run-rows.ts";
import { reuseFixture } from "../support/scenarios/reuse-fixture.ts";

/** Imports crates into a server, and refuses hostile ones. */
const fixture = await reuseFixture();
const { api, ada, chain, ran, untilOver } = fixture;
const SERVER = { REPRISE_SERVER: await api.listen(), REPRISE_TOKEN: ada.token };
const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-import-"));
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

async function reprise(...args: string[]) {
  const cli = fakeCli({ environment: SERVER });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

let count = 0;

async function written(made: readonly MadeEntry[]): Promise<string> {
  const file = path.join(folder, `${(count += 1)}.zip`);
  await writeFile(file, makeZip(made));
  return file;
}

const ref = (id: string) => ({ "@id": id });

/** Describes a crate of another engine: a CWL workflow with a tool, a file, a number and an output. */
function described(
  change: (graph: Record<string, unknown>[]) => void = () => undefined,
  context: unknown = CONTEXT,
) {
  const graph: Record<string, unknown>[] = [
    {
      "@id": "ro-crate-metadata.json",
      "@type": "CreativeWork",
      about: ref("./"),
      conformsTo: ref("https://w3id.org/ro/crate/1.1"),
    },
    {
      "@id": "./",
      "@type": "Dataset",
      name: "Revsort run",
      mainEntity: ref("packed.cwl"),
      hasPart: ["packed.cwl", "tools/", "in%201.txt", "out.txt"].map(ref),
    },
    {
      "@id": "packed.cwl",
      "@type": ["File", "ComputationalWorkflow"],
      programmingLanguage: ref("#cwl"),
      hasPart: ref("packed.cwl#tool"),
    },
    { "@id": "tools/", "@type": "Dataset" },
    { "@id": "#cwl", "@type": "ComputerLanguage", name: "Common Workflow Language" },
    { "@id": "#in", "@type": "FormalParameter", additionalType: "File", name: "input" },
    { "@id": "#n", "@type": "FormalParameter", additionalType: "Integer", name: "count" },
    { "@id": "#n-value", "@type": "PropertyValue", value: "3", exampleOfWork: ref("#n") },
    { "@id": "in%201.txt", "@type": "File", exampleOfWork: ref("#in") },
    { "@id": "out.txt", "@type": "File" },
    {
      "@id": "#run",
      "@type": "CreateAction",
      instrument: ref("packed.cwl"),
      endTime: "2026-01-01",
      object: [ref("in%201.txt"), ref("#n-value")],
      result: ref("out.txt"),
    },
  ];
  change(graph);
  return JSON.stringify({ "@context": context, "@graph": graph });
}

const CONTEXT = ["https://w3id.org/ro/crate/1.1/context", { extra: "https://example.org/extra" }];
const CWL =
  "cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: 'true'\ninputs: {input: File, count: int}\noutputs: {}\n";

function entries(metadata = described()): MadeEntry[] {
  return [
    { name: "ro-crate-metadata.json", content: metadata },
    { name: "packed.cwl", content: CWL },
    { name: "tools/", mode: 0o040_755 },
    { name: "tools/a.cwl", content: CWL },
    { name: "in 1.txt", content: "one\n" },
    { name: "out.txt", content: "two\n" },
    { name: "unlisted.txt" },
  ];
}

async function specificationOf(name: string) {
  const { id } = (await api.inject(`/api/workflows/${name}/status?access_token=${ada.token}`)).json<{
    id: string;
  }>();
  return { id, ...(await oneDefinition(api.operations.db, id)).specification };
}

test("a crate of this program runs again with the same parameters, files and result", async () => {
  const first = await ran(chain());
  const file = path.join(folder, "chain.zip");
  expect((await reprise("export", first, "-o", file)).code).toBe(0);
  const { code, printed, errors } = await reprise("import", file, "-n", "again");
  expect({ code, printed, errors }).toEqual({
    code: 0,
    errors: [],
    printed: ["Created again.1 with 2 files (8 B)."],
  });
  const again = await specificationOf("again.1");
  expect(again).toMatchObject({ ...chain(), workflow: { type: "serial" } });
  await changeStatus(api, ada, again.id, "start");
  await untilOver(again.id, "finished");
});

test("inputs that a crate only names are listed, and the name of the crate is used", async () => {
  const first = await ran(chain());
  const file = path.join(folder, "small.zip");
  await reprise("export", first, "-o", file, "--without-inputs");
  const { printed, errors } = await reprise("import", file);
  expect(printed[0]).toMatch(/^Created w\d+\.2 with 0 files \(0 B\)\.$/);
  expect(errors).toEqual([
    "The crate does not hold the input data/in.txt: upload it before the start.",
    "The crate does not hold the input code: upload it before the start.",
  ]);
});

/** The same crate, in the spellings of three versions and of prefixes. */
describe("a crate of another engine", () => {
  const spelled = (version: string, replaced: readonly (readonly [string, string])[]) =>
    replaced.reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      described(() => undefined, `https://w3id.org/ro/crate/${version}/context`).replace(
        'crate/1.1"',
        `crate/${version}"`,
      ),
    );

  test.each([
    ["1.1", spelled("1.1", [])],
    [
      "1.2",
      spelled("1.2", [
        ['"FormalParameter"', '"bioschemas:FormalParameter"'],
        ['"exampleOfWork"', '"schema:exampleOfWork"'],
      ]),
    ],
    [
      "1.3",
      spelled("1.3", [
        ['"ComputationalWorkflow"', '"https://bioschemas.org/terms/ComputationalWorkflow"'],
        ['"File"', '"http://schema.org/MediaObject"'],
      ]),
    ],
  ])("in the spelling of RO-Crate %s becomes a workflow", async (_, metadata) => {
    const file = await written(entries(metadata));
    const { code, printed, errors } = await reprise("import", file, "-n", "foreign", "--json");
    expect([code, errors]).toEqual([0, []]);
    const { workflow_name: name, uploaded } = JSON.parse(printed[0]!) as {
      workflow_name: string;
      uploaded: string[];
    };
    expect(uploaded).toEqual(["in 1.txt", "packed.cwl", "tools/a.cwl"]);
    expect(await specificationOf(name)).toMatchObject({
      workflow: { type: "cwl", file: "packed.cwl" },
      inputs: {
        files: ["in 1.txt", "tools/a.cwl"],
        parameters: { count: 3, input: { class: "File", path: "in 1.txt" } },
      },
    });
  });

  test("may be a folder", async () => {
    const place = path.join(folder, "unpacked");
    await mkdir(path.join(place, "tools"), { recursive: true });
    for (const { name, content = "" } of entries().filter(({ mode }) => mode === undefined))
      await writeFile(path.join(place, String(name)), content);
    expect(await reprise("import", place)).toEqual({
      code: 0,
      errors: [],
      printed: ["Created Revsort-run.1 with 3 files (216 B)."],
    });
    await symlink("/etc/passwd", path.join(place, "tools", "link"));
    expect((await reprise("import", place)).errors).toEqual([
      `${place} cannot be imported: "tools/link" is a symbolic link.`,
    ]);
  });
});

describe("a crate is refused by name, and nothing is created", () => {
  const change = (id: string, more: object) => (graph: Record<string, unknown>[]) => {
    Object.assign(
      graph.find((entity) => entity["@id"] === id)!,
      more,
    );
  };
  const metadata = (text: string) => entries(text);
  const cases: readonly (readonly [what: string, entries: readonly MadeEntry[], sentence: RegExp])[] = [
    [
      "a zip with ..",
      [...entries(), { name: "../evil" }],
      /The crate cannot be used: "\.\.\/evil" is no plain path inside it/,
    ],
    [
      "a zip with an absolute path",
      [...entries(), { name: "/etc/evil" }],
      /"\/etc\/evil" is an absolute path/,
    ],
    ["a zip with a link", [...entries(), { name: "link", mode: 0o120_777 }], /"link" is a symbolic link/],
    ["a zip without metadata", entries().slice(1), /it has no ro-crate-metadata\.json at its top/],
    ["metadata that are not JSON", metadata('{"@graph": [}'), /is not valid JSON: expected a value or "\]"/],
    ["metadata without a graph", metadata("{}"), /has no list "@graph"/],
    [
      "an entity without an id",
      metadata(described((graph) => void graph.push({ "@type": "File" }))),
      /entry 12 of its "@graph" has no text "@id"/,
    ],
    [
      "an entity with a wrong type",
      metadata(described(change("out.txt", { "@type": 7 }))),
      /the "@type" of "out\.txt" is not a text/,
    ],
    [
      "a context from elsewhere",
      metadata(described(undefined, "https://evil.example/context")),
      /its context "https:\/\/evil\.example\/context" is not one of RO-Crate, and nothing is fetched/,
    ],
    [
      "a context that is imported",
      metadata(described(undefined, { "@import": "http://evil.example/c" })),
      /its context "http:\/\/evil\.example\/c" is not one/,
    ],
    [
      "another version",
      metadata(
        described(change("ro-crate-metadata.json", { conformsTo: ref("https://w3id.org/ro/crate/2.0") })),
      ),
      /it names "https:\/\/w3id\.org\/ro\/crate\/2\.0"; RO-Crate 1\.1, 1\.2 and 1\.3 can be read/,
    ],
    [
      "a workflow outside",
      metadata(
        described(change("./", { mainEntity: ref("../a.cwl") })).replaceAll('"packed.cwl"', '"../a.cwl"'),
      ),
      /it names "\.\.\/a\.cwl", which is not a plain path inside it/,
    ],
    [
      "a file of the machine",
      metadata(described(change("./", { hasPart: ref("file:///etc/passwd") }))),
      /it names "file:\/\/\/etc\/passwd", an absolute path/,
    ],
    [
      "a workflow that is not there",
      entries().filter(({ name }) => name !== "packed.cwl"),
      /its main workflow "packed\.cwl" is not a file of the crate/,
    ],
    [
      "another language",
      metadata(described(change("#cwl", { name: "Nextflow" })).replaceAll("#cwl", "#nextflow")),
      /is in "Nextflow"; CWL, Snakemake and Yadage can be imported/,
    ],
  ];

  test.each(cases)("%s", async (_, made, sentence) => {
    const before = await api.operations.db.selectFrom("runs").select("id").execute();
    const { code, errors } = await reprise("import", await written(made));
    expect([code, errors.join("\n")]).toEqual([1, expect.stringMatching(sentence)]);
    expect(await api.operations.db.selectFrom("runs").select("id").execute()).toEqual(before);
  });

  test("a million entries", async () => {
    const zip = makeZip(entries());
    // The end of a zip64 has these values.
    for (const at of [8, 10]) zip.writeUInt16LE(0xffff, zip.length - 22 + at);
    const file = path.join(folder, "million.zip");
    await writeFile(file, zip);
    expect((await reprise("import", file)).errors.join()).toContain("it has more than 65534 entries");
  });

  test("collections that hold themselves end", async () => {
    const loops = described((graph) => {
      graph.push({
        "@id": "#loop",
        "@type": "Collection",
        hasPart: [ref("#loop"), ref("in%201.txt")],
        exampleOfWork: ref("#in"),
      });
      change("#run", { object: [ref("#loop"), ref("#n-value")] })(graph);
      change("./", { hasPart: [ref("./"), ref("packed.cwl"), ref("#loop")] })(graph);
    });
    expect((await reprise("import", await written(entries(loops)), "-n", "loop")).printed).toEqual([
      "Created loop.1 with 2 files (110 B).",
    ]);
  });

  test("nothing of a crate is left in the temporary folder", async () => {
    const left = (await readdir(os.tmpdir())).filter((name) => name.startsWith("reprise-crate-import-"));
    expect(left).toEqual([]);
  });
});
