import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { reportOn } from "#app/check-specification";
import { runCwlCall } from "#app/cwl/run-cwl-call";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { readConfig } from "#config/read";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial } from "../support/run-rows.ts";

/** Commands in a folder whose links lead to the home of the person: the folder may be somebody's repository. */
const api = await apiFixture();
const ada = await api.makeUser();
const environment = { REPRISE_SERVER: await api.listen(), REPRISE_TOKEN: ada.token };
const before = process.cwd();
let home: string;
let here: string;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), "reprise-linked-")));
  here = path.join(home, "clone");
  await mkdir(path.join(home, ".ssh"));
  await writeFile(path.join(home, ".ssh", "id"), "private");
  await mkdir(here);
  process.chdir(here);
  return () => {
    process.chdir(before);
    rmSync(home, { recursive: true });
  };
});
afterAll(() => api.close());

const keys = () => readdirSync(path.join(home, ".ssh"));

async function reprise(...args: string[]) {
  const cli = fakeCli({
    environment,
    runCwl: (_options, call) =>
      runCwlCall(readConfig({ HOME: home, REPRISE_DATA: path.join(home, "data") }), call),
    checkSpecification: reportOn,
  });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

describe("download", () => {
  const NAMES = ["res/a", "res/b", "res/c", "res/authorized_keys"];

  beforeEach(async () => {
    await createRun(api, ada, "evil");
    await mkdir(path.join(home, "made"));
    for (const name of NAMES) await writeFile(path.join(home, "made", path.basename(name)), name);
    process.chdir(path.join(home, "made"));
    await reprise("upload", "-w", "evil", "--to", "res", ...NAMES.map((name) => path.basename(name)));
    process.chdir(here);
  });

  test.each([[NAMES], [["res/authorized_keys"]], [["res"]]])("%j behind a link is refused", async (names) => {
    await symlink("../.ssh", "res");
    const { code, errors } = await reprise("download", "-w", "evil", ...names);
    expect([code, errors]).toEqual([
      1,
      [
        expect.stringMatching(
          /^res\/\w+ was not written: res is a link to \.\.\/\.ssh, which leads out of \/\S+clone\. Remove the link/,
        ),
      ],
    ]);
    expect(keys()).toEqual(["id"]);
  });

  test("links in the folder are followed, and others if that is allowed", async () => {
    await mkdir("real");
    await symlink("real", "res");
    expect((await reprise("download", "-w", "evil", "res")).code).toBe(0);
    expect(readdirSync("real").toSorted()).toEqual(["a", "authorized_keys", "b", "c"]);
    await symlink(home, "out");
    const allowed = await reprise("download", "-w", "evil", "res/a", "-o", "out/there", "--follow-links");
    expect([allowed.code, readFileSync(path.join(home, "there/res/a"), "utf8")]).toEqual([0, "res/a"]);
  });

  test("an error names a file by its path, and not by a descriptor", async () => {
    await mkdir("res/a/in the way", { recursive: true });
    const { errors } = await reprise("download", "-w", "evil", "res/a");
    expect(errors.join()).toContain(path.join(here, "res", "a"));
    expect(errors.join()).not.toContain("/proc");
  });

  test("a link in the place of a partial file is not written through", async () => {
    await mkdir("res");
    for (const name of ["a", "b", "c", "authorized_keys"])
      await symlink("../../.ssh/id", `res/.${name}.${process.pid}.part`);
    expect((await reprise("download", "-w", "evil", "res")).code).toBe(0);
    expect(readFileSync(path.join(home, ".ssh/id"), "utf8")).toBe("private");
    expect(readFileSync("res/authorized_keys", "utf8")).toBe("res/authorized_keys");
  });
});

describe("upload", () => {
  const uploaded = async (...args: string[]) => reprise("upload", "-w", "mine", ...args, "--json");

  beforeEach(async () => {
    await createRun(api, ada, "mine", { ...serial(["true"]), inputs: { files: ["in.txt"] } });
    await symlink("../.ssh/id", "in.txt");
    await symlink("../.ssh", "linked");
    await mkdir("data");
    await symlink("../../.ssh/id", "data/key");
  });

  test.each([
    ["the declared inputs", [], "in.txt was", "in.txt -> ../.ssh/id"],
    ["a named file", ["in.txt"], "in.txt was", "in.txt -> ../.ssh/id"],
    ["a file in a linked folder", ["linked/id"], "linked/id was", "linked -> ../.ssh"],
    ["a linked folder", ["linked"], "linked was", "linked -> ../.ssh"],
    ["a folder that holds a link", ["data"], "data/key was", "data/key -> ../../.ssh/id"],
  ])("%s", async (_what, args, tried, link) => {
    const { code, errors } = await uploaded(...args);
    expect(code).toBe(1);
    expect(errors.join()).toContain(
      `${tried} not read, because a link leads out of ${here}: ${link}. ` +
        "Copy the files into the folder, or allow the links with --follow-links.",
    );
    expect((await uploaded(...args, "--follow-links")).code).toBe(0);
  });

  test("a folder elsewhere must not be left either", async () => {
    await mkdir(path.join(home, "else"));
    await symlink("../.ssh/id", path.join(home, "else", "key"));
    const { errors } = await uploaded("../else");
    expect(errors.join()).toContain(`a link leads out of ${path.join(home, "else")}: key -> ../.ssh/id`);
  });
});

describe("a specification behind a link", () => {
  const YAML = "workflow: {type: serial, specification: {steps: [{environment: a, commands: [ls]}]}}\n";

  test.each(["create", "validate"])("%s", async (command) => {
    await writeFile(path.join(home, "other.yaml"), YAML);
    await symlink("../other.yaml", "reana.yaml");
    const { code, errors } = await reprise(command);
    expect([code, errors[0]]).toEqual([
      1,
      expect.stringContaining("reana.yaml was not read, because a link leads out of"),
    ]);
    expect((await reprise(command, "--follow-links")).code).toBe(0);
  });

  test("validate reads no document behind a link out of the folder", async () => {
    await writeFile("reana.yaml", "workflow: {type: cwl, file: main.cwl}\n");
    await writeFile(path.join(home, "main.cwl"), "cwlVersion: v1.2\nclass: ExpressionTool\n");
    await symlink("../main.cwl", "main.cwl");
    const { code, errors } = await reprise("validate");
    expect([code, errors.join()]).toEqual([1, expect.stringContaining("main.cwl was not read")]);
  });
});

describe("cwl-runner writes no file through a link out of the folder", () => {
  const tool = (outputs: string) =>
    `cwlVersion: v1.2\nclass: ExpressionTool\nrequirements: {InlineJavascriptRequirement: {}}\ninputs: {given: File?}\n${outputs}`;
  const LITERAL = tool(
    `outputs: {o: File}\nexpression: '\${return {o: {class: "File", basename: "res", contents: "x"}};}'\n`,
  );
  const FOLDER = tool(
    `outputs: {o: Directory}\nexpression: '\${return {o: {class: "Directory", basename: "res", listing: [{class: "File", basename: "authorized_keys", contents: "x"}]}};}'\n`,
  );
  const GIVEN = tool(`outputs: {o: File}\nexpression: '\${return {o: inputs.given};}'\n`);

  test("a folder", async () => {
    await writeFile("main.cwl", FOLDER);
    await symlink("../.ssh", "res");
    const { code, errors } = await reprise("cwl-runner", "main.cwl");
    expect([code, errors.join()]).toEqual([
      1,
      expect.stringContaining("res/authorized_keys was not written: res is a link to ../.ssh"),
    ]);
    expect(keys()).toEqual(["id"]);
    expect((await reprise("cwl-runner", "--follow-links", "main.cwl")).code).toBe(0);
    expect(keys()).toEqual(["authorized_keys", "id"]);
  });

  test("a text and a copy replace the link", async () => {
    await writeFile("main.cwl", LITERAL);
    await writeFile("given.cwl", GIVEN);
    await mkdir("in");
    await writeFile("in/res", "given");
    await symlink("../.ssh/id", "res");
    expect((await reprise("cwl-runner", "main.cwl")).code).toBe(0);
    expect(readFileSync("res", "utf8")).toBe("x");
    rmSync("res");
    await symlink("../.ssh/id", "res");
    expect((await reprise("cwl-runner", "given.cwl", "--given", "in/res")).code).toBe(0);
    expect(readFileSync("res", "utf8")).toBe("given");
    expect(readFileSync(path.join(home, ".ssh/id"), "utf8")).toBe("private");
    expect(existsSync("in/res")).toBe(true);
  });
});
