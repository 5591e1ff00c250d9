import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { cwlFolder } from "../support/cwl-runner-fixture.ts";
import { runCwlCall } from "#app/cwl/run-cwl-call";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { readConfig } from "#config/read";

/** `reprise cwl-runner` in this process, called with a person's arguments. */
const { folder, inFolder } = cwlFolder();

const TOOL = `
cwlVersion: v1.2
class: CommandLineTool
hints: {UnknownHint: {}}
baseCommand: cat
inputs:
  files: {type: "File[]", inputBinding: {position: 1}}
  name: {type: string, default: made.txt}
  big: double?
stdout: $(inputs.name)
outputs:
  made: stdout
  echo: {type: double?, outputBinding: {outputEval: $(inputs.big)}}
`;

const workflowOf = (fields: string, source: string) => `
cwlVersion: v1.2
class: Workflow
inputs: {files: "File[]", text: string}
outputs: {}
steps:
  one:
    run: tool.cwl
    in: {files: ${source}}
    out: []
    ${fields}
`;

beforeAll(async () => {
  await writeFile(inFolder("tool.cwl"), TOOL);
  await writeFile(inFolder("container.cwl"), `${TOOL}requirements: {DockerRequirement: {dockerPull: a}}\n`);
  await writeFile(
    inFolder("steps.cwl"),
    workflowOf("requirements: {DockerRequirement: {dockerPull: a}}", "files"),
  );
  await writeFile(inFolder("later.cwl"), TOOL.replace("v1.2", "v1.3"));
  await writeFile(inFolder("links.cwl"), workflowOf("", "text"));
  await writeFile(inFolder("job.yml"), "files: [{class: File, path: one.txt}]\nname: from-file.txt\n");
  await writeFile(inFolder("one.txt"), "one\n");
  await writeFile(inFolder("two.txt"), "two\n");
});

const config = () => readConfig({ HOME: folder, REPRISE_DATA: inFolder("data") });

async function cwlRunner(args: readonly string[]) {
  const cli = fakeCli({ runCwl: (_options, call) => runCwlCall(config(), call) });
  const code = await runCli(["cwl-runner", ...args], cli);
  return { code, printed: cli.printed.join("\n"), errors: cli.errors.join("\n") };
}

describe("inputs", () => {
  test("are options, with paths from the given folder", async () => {
    const outdir = inFolder("out-1");
    const { code, printed } = await cwlRunner([
      "--outdir",
      outdir,
      `--basedir=${folder}`,
      `--tmpdir-prefix=${inFolder("tmp")}/`,
      "--parallel",
      "--no-container",
      "--relax-path-checks",
      inFolder("tool.cwl"),
      "--files=one.txt",
      "--files",
      "two.txt",
      "--big=1e42",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ made: { class: "File", basename: "made.txt", size: 8 } });
    expect(printed).toContain(`"echo": 1${"0".repeat(42)}`);
    expect(readFileSync(path.join(outdir, "made.txt"), "utf8")).toBe("one\ntwo\n");
    expect(await readdir(inFolder("tmp"))).toEqual([]);
  });

  test("are in a file, and an option overrides it", async () => {
    const outdir = inFolder("out-2");
    const { code, errors } = await cwlRunner([
      `--outdir=${outdir}`,
      inFolder("tool.cwl"),
      inFolder("job.yml"),
      "--name",
      "mine.txt",
    ]);
    expect([code, await readdir(outdir)]).toEqual([0, ["mine.txt"]]);
    expect(errors).toMatch(/^Warning: .*the hint `UnknownHint` is not known/);
  });

  test("are not printed about when it is to be quiet", async () => {
    const { code, errors } = await cwlRunner([
      "--quiet",
      `--outdir=${inFolder("out-3")}`,
      inFolder("tool.cwl"),
      inFolder("job.yml"),
    ]);
    expect([code, errors]).toEqual([0, ""]);
  });
});

test("an input at an address is fetched, and subfolders for the streams are made", async () => {
  const server = http.createServer((_, reply) => void reply.end("remote\n")).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const outdir = inFolder("out-4");
    const { code, errors } = await cwlRunner([
      "--quiet",
      `--outdir=${outdir}`,
      inFolder("tool.cwl"),
      `--files=http://127.0.0.1:${port}/a%20b.txt`,
      "--name=sub/made.txt",
    ]);
    expect([code, errors]).toEqual([0, ""]);
    expect(readFileSync(path.join(outdir, "made.txt"), "utf8")).toBe("remote\n");
  } finally {
    server.close();
  }
});

test("an output may lie in a folder that was staged, and be named by a job file alone", async () => {
  await mkdir(inFolder("data"), { recursive: true });
  await writeFile(inFolder("data/one.txt"), "one\n");
  await writeFile(
    inFolder("inside.cwl"),
    `cwlVersion: v1.2
class: CommandLineTool
requirements: {InitialWorkDirRequirement: {listing: [{entryname: here, entry: $(inputs.folder)}]}}
inputs: {folder: Directory}
outputs:
  one: {type: File, outputBinding: {glob: $(inputs.folder.basename)/one.txt}}
baseCommand: "true"
`,
  );
  await writeFile(
    inFolder("job-that-names-its-tool.yml"),
    "cwl:tool: inside.cwl\nfolder: {class: Directory, path: data}\n",
  );
  const { code, printed, errors } = await cwlRunner([
    `--outdir=${inFolder("out-inside")}`,
    inFolder("job-that-names-its-tool.yml"),
  ]);
  expect({ code, errors }).toMatchObject({ code: 0 });
  expect(JSON.parse(printed)).toMatchObject({ one: { basename: "one.txt", size: 4 } });
});

test("a link in an output folder gives what it leads to, unless that is no file of the run", async () => {
  await writeFile(
    inFolder("folder.cwl"),
    `cwlVersion: v1.2
class: CommandLineTool
baseCommand: [sh, -c]
inputs: {script: {type: string, inputBinding: {}}, one: {type: File, inputBinding: {position: 1}}}
outputs: {made: {type: Directory, outputBinding: {glob: out}}}
`,
  );
  const run = (name: string, script: string) =>
    cwlRunner([
      "--quiet",
      `--outdir=${inFolder(name)}`,
      inFolder("folder.cwl"),
      `--script=mkdir -p out/a; ${script}`,
      `--one=${inFolder("one.txt")}`,
    ]);
  const inside = await run("out-links", 'echo a > out/a/f; ln -s a out/b; ln -s "$0" out/given');
  expect(inside).toMatchObject({ code: 0, errors: "" });
  const contentOf = (name: string) => readFileSync(inFolder(`out-links/out/${name}`), "utf8");
  expect(["b/f", "given"].map(contentOf)).toEqual(["a\n", "one\n"]);
  const outside = await run("out-outside", `ln -s ${inFolder("two.txt")} out/a/l`);
  expect([outside.code, JSON.parse(outside.printed)]).toEqual([1, { made: null }]);
  expect(outside.errors).toMatch(/the output `made`: the link \S+\/out\/a\/l leads outside of the files/);
});

test("Ctrl-C ends the commands, and leaves nothing", async () => {
  const pidFile = inFolder("pid");
  await writeFile(
    inFolder("sleep.cwl"),
    `{cwlVersion: v1.2, class: CommandLineTool, inputs: {}, outputs: {}, baseCommand: [sh, -c, "echo $$ > ${pidFile}; sleep 60"]}`,
  );
  const cli = fakeCli({ runCwl: (_options, call) => runCwlCall(config(), call) });
  const tmp = inFolder("tmp-stopped");
  const running = runCli(["cwl-runner", `--tmpdir-prefix=${tmp}/`, inFolder("sleep.cwl")], cli);
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toBeTruthy();
  cli.send("SIGINT");
  expect([await running, cli.printed]).toEqual([130, []]);
  expect(existsSync(`/proc/${readFileSync(pidFile, "utf8").trim()}`)).toBe(false);
  expect(await readdir(tmp)).toEqual([]);
});

test("folders that a command has closed are removed with the rest", async () => {
  await writeFile(
    inFolder("closed.cwl"),
    `{cwlVersion: v1.2, class: CommandLineTool, inputs: {}, outputs: {}, baseCommand: [sh, -c, "mkdir -p a/b; chmod 0 a/b; chmod 500 a"]}`,
  );
  const tmp = inFolder("tmp-closed");
  const { code } = await cwlRunner([`--tmpdir-prefix=${tmp}/`, inFolder("closed.cwl")]);
  expect([code, await readdir(tmp)]).toEqual([0, []]);
});

describe("unsupported options are refused by a sentence", () => {
  test.each<[string, string[], number, string]>([
    ["an input that is unknown", ["tool.cwl", "--fils", "a"], 2, "did you mean `--files`?"],
    [
      "an option before the document",
      ["--frobnicate", "tool.cwl"],
      2,
      "The option `--frobnicate` is not one of cwl-runner.",
    ],
    ["a tool that requires a container", ["container.cwl", "job.yml"], 33, "requires a container"],
    ["a step that requires a container", ["steps.cwl"], 33, 'Step "one" requires a container'],
    ["a later version", ["later.cwl"], 33, 'The version "v1.3" is not supported'],
    ["a link whose types do not meet", ["links.cwl"], 1, "takes File[], but its source `text` gives string."],
    ["a document that is not there", ["none.cwl"], 1, "none.cwl cannot be read"],
    ["an input that is missing", ["tool.cwl"], 1, "The input `files` is missing (its type is File[])."],
  ])("%s", async (_, words, exitCode, sentence) => {
    const args = words.map((word) => (/\.(cwl|yml)$/.test(word) ? inFolder(word) : word));
    const { code, printed, errors } = await cwlRunner([`--outdir=${inFolder("none")}`, ...args]);
    expect([code, printed]).toEqual([exitCode, ""]);
    expect(errors).toContain(sentence);
  });
});

test("--version prints the name and the version", async () => {
  expect(await cwlRunner(["--version"])).toEqual({ code: 0, printed: "1.2.3", errors: "" });
});
