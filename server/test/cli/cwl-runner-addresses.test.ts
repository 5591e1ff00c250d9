import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";

/** Documents and inputs of `reprise cwl-runner` that are named by addresses, or come from standard input. */
const { inFolder, cwlRunner } = cwlFolder();

const WORKFLOW = `cwlVersion: v1.2
class: Workflow
inputs:
  text: {type: File, default: {class: File, location: data/default.txt}}
outputs: {made: {type: File, outputSource: copy/made}}
steps:
  copy: {run: ../tools/copy.cwl, in: {text: text}, out: [made]}
`;
const TOOL = `cwlVersion: v1.2
class: CommandLineTool
requirements: [{$import: more/lines.yml}]
baseCommand: [cat, header]
inputs: {text: {type: File, inputBinding: {}}}
stdout: made.txt
outputs: {made: stdout}
`;
const HEADER =
  "class: InitialWorkDirRequirement\nlisting: [{entryname: header, entry: {$include: header.txt}}]\n";
const FILES: Readonly<Record<string, string>> = {
  "/flows/main.cwl": WORKFLOW,
  "/tools/copy.cwl": TOOL,
  "/tools/more/lines.yml": HEADER,
  "/tools/more/header.txt": "header\n",
  "/flows/data/default.txt": "default\n",
  "/jobs/job.yml": "text: {class: File, path: given.txt}\n",
  "/jobs/names-its-tool.yml": "cwl:tool: ../flows/main.cwl\n",
  "/jobs/given.txt": "given\n",
  "/jobs/..%2F..%2Fescape.txt": "escape\n",
  "/wrong.cwl": WORKFLOW.replace("copy/made", "copy/mdae"),
};

let server: http.Server;
let site: string;

beforeAll(async () => {
  server = http.createServer((request, reply) => {
    const text = FILES[request.url!];
    if (request.url === "/flows/moved.cwl") reply.writeHead(302, { location: "/flows/main.cwl" }).end();
    else if (text === undefined) reply.writeHead(404).end();
    else reply.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [name, text] of Object.entries(FILES)) {
    if (name.includes("%")) continue;
    await mkdir(path.dirname(inFolder(`a %23b${name}`)), { recursive: true });
    await writeFile(inFolder(`a %23b${name}`), text);
  }
  const absolute = WORKFLOW.replace("../tools/copy.cwl", here("/tools/copy.cwl")).replace(
    "data/default.txt",
    here("/flows/data/default.txt"),
  );
  await writeFile(inFolder("absolute.cwl"), absolute);
});
afterAll(() => {
  server.close();
});

const madeIn = (outdir: string) => readFileSync(path.join(outdir, "made.txt"), "utf8");

const here = (name: string) => pathToFileURL(inFolder(`a %23b${name}`)).href;

describe("a document with inputs", () => {
  test.each<[string, () => readonly string[], string]>([
    ["on the web, with what it names", () => [`${site}/flows/main.cwl`, `${site}/jobs/job.yml`], "given\n"],
    ["on the web, with a file of its own", () => [`${site}/flows/main.cwl`], "default\n"],
    ["on the web, behind a redirect", () => [`${site}/flows/moved.cwl`], "default\n"],
    ["on the web, named by its inputs", () => [`${site}/jobs/names-its-tool.yml`], "default\n"],
    ["by addresses of files", () => [here("/flows/main.cwl"), here("/jobs/job.yml")], "given\n"],
    ["by an address of a file, named by its inputs", () => [here("/jobs/names-its-tool.yml")], "default\n"],
    ["with an absolute address in a step", () => [inFolder("absolute.cwl")], "default\n"],
    [
      "in a folder with characters of addresses in its name",
      () => [inFolder("a %23b/flows/main.cwl"), inFolder("a %23b/jobs/job.yml")],
      "given\n",
    ],
    [
      "and an input whose name leads elsewhere",
      () => [`${site}/flows/main.cwl`, "--text", `${site}/jobs/..%2F..%2Fescape.txt`],
      "escape\n",
    ],
  ])("%s", async (_, words, text) => {
    const { code, outdir, errors } = await cwlRunner(["--quiet", ...words()]);
    expect([code, errors]).toEqual([0, []]);
    expect(madeIn(outdir)).toBe(`header\n${text}`);
  });
});

describe("inputs from standard input", () => {
  test("start at --basedir", async () => {
    const words = [`--basedir=${inFolder("a %23b/jobs")}`, `${site}/flows/main.cwl`, "-"];
    const input = "text: {class: File, path: given.txt}\n";
    const { code, outdir, errors } = await cwlRunner(["--quiet", ...words], { input });
    expect([code, errors]).toEqual([0, []]);
    expect(madeIn(outdir)).toBe("header\ngiven\n");
  });

  test("may be empty", async () => {
    const words = [inFolder("a %23b/flows/main.cwl"), "-"];
    const { code, outdir } = await cwlRunner(words, { input: "\n" });
    expect([code, madeIn(outdir)]).toEqual([0, "header\ndefault\n"]);
  });

  test("are refused with the line", async () => {
    const { code, errors } = await cwlRunner([`${site}/flows/main.cwl`, "-"], {
      input: "\ntext: 12\n",
    });
    expect([code, errors.join()]).toEqual([
      1,
      expect.stringMatching(/\(standard input\), line 2, column 1: The input `text` is 12, not File\.$/),
    ]);
  });
});

describe("an unavailable file is refused with the address", () => {
  test.each<[string, (at: string) => readonly string[], RegExp]>([
    [
      "a document",
      (at) => [`${at}/none.cwl?token=secret`],
      /\/none\.cwl could not be read: .* status 404\.$/,
    ],
    [
      "inputs",
      (at) => [`${at}/flows/main.cwl`, `${at}/none.yml`],
      /\/none\.yml could not be read: .* 404\.$/,
    ],
    [
      "an input file",
      (at) => [`${at}/flows/main.cwl`, `--text=${at}/none.txt`],
      /An input cannot be fetched: .*\/none\.txt could not be read: .* status 404\.$/,
    ],
    ["a host", () => ["http://127.0.0.1:9/main.cwl"], /127\.0\.0\.1:9\/main\.cwl could not be read: .*ECONN/],
    ["a name", (at) => [at.replace("//", "//me:secret@")], /user name or a password is not read/],
    ["a mistake", (at) => [`${at}/wrong.cwl`], /\/wrong\.cwl, line 5, column \d+: .*copy\/mdae/],
  ])("%s", async (_, words, sentence) => {
    const { code, printed, errors } = await cwlRunner(words(site));
    expect([code, printed]).toEqual([1, ""]);
    expect(errors.join()).toMatch(sentence);
    expect(errors.join()).not.toContain("secret");
  });
});

test("--validate and --print-dot read addresses too", async () => {
  const document = `${site}/flows/main.cwl`;
  expect((await cwlRunner(["--validate", document])).printed).toContain(`\n${document} is valid.`);
  const words = ["--validate", here("/jobs/names-its-tool.yml")];
  expect((await cwlRunner(words)).printed).toMatch(/names-its-tool\.yml is valid\.$/);
  expect((await cwlRunner(["--print-dot", document])).printed).toContain('  "copy" [label="copy"];');
});
