import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { FAULTLESS, fakeCli } from "#cli/fake-cli";
import type { CliContext } from "#cli/context";
import { runCli } from "#cli/program";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial, untilStatus } from "../support/run-rows.ts";

/** Tests of the commands against a server in this process. `commands.slow.test.ts` runs them as processes. */
const api = await apiFixture();
const url = await api.listen();
const ada = await api.makeUser();
const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-commands-"));
  process.chdir(folder);
  return () => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  };
});
afterAll(() => api.close());

/** An address without a server. */
const NOBODY = await (async () => {
  const server = http.createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return `http://127.0.0.1:${port}`;
})();

const SERVER = { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token };

async function reprise(args: readonly string[], parts: Partial<CliContext> = {}) {
  const cli = fakeCli({ environment: SERVER, ...parts });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}
const inJson = async (...args: string[]): Promise<unknown> => {
  const { code, printed, errors } = await reprise([...args, "--json"]);
  expect([code, printed.length, errors]).toEqual([0, 1, []]);
  return JSON.parse(printed[0]!);
};

const YAML = `
inputs: {files: [in/a.txt], directories: [in/many], parameters: {who: world}}
outputs: {files: [in/a.txt]}
workflow:
  type: serial
  specification: {steps: [{name: greet, environment: "any:1", commands: ["echo \${who}"]}]}
`;

describe("choice of the server and of the token", () => {
  test.each([
    ["REANA's variables will do", { REANA_SERVER_URL: url, REANA_ACCESS_TOKEN: ada.token }, []],
    ["ours win", { ...SERVER, REANA_SERVER_URL: "http://127.0.0.1:1", REANA_ACCESS_TOKEN: "no" }, []],
    ["the option wins", { ...SERVER, REPRISE_SERVER: "http://127.0.0.1:1" }, ["--server", `${url}/`]],
  ])("%s", async (_name, environment, options) => {
    expect((await reprise(["list", ...options], { environment })).code).toBe(0);
  });

  test("a token in a file", async () => {
    await writeFile("token", `${ada.token}\n`);
    const environment = { REPRISE_SERVER: url, REPRISE_TOKEN: "another" };
    expect((await reprise(["list", "--token-file", "token"], { environment })).code).toBe(0);
  });

  test.each([
    [2, "No token was given.", { REPRISE_SERVER: url }, []],
    [2, "There is no token in the file none.", SERVER, ["--token-file", "none"]],
    [2, "localhost:7070 is not a server address", SERVER, ["--server", "localhost:7070"]],
    [1, "No server was named, and none runs on the data folder /nowhere.", {}, []],
    [1, `${NOBODY} could not be reached: connect ECONNREFUSED`, { ...SERVER, REPRISE_SERVER: NOBODY }, []],
    [1, "Token not valid: it belongs to no user of this server.", { ...SERVER, REPRISE_TOKEN: "wrong" }, []],
  ])("exit code %i: %s", async (code, sentence, environment, options) => {
    const { errors, ...rest } = await reprise(["list", ...options], { environment });
    expect(rest).toEqual({ code, printed: [] });
    expect(errors).toEqual([expect.stringContaining(sentence)]);
    expect(errors.join()).not.toContain(ada.token);
  });
});

describe("create and validate", () => {
  test("the reana.yaml of this folder, another file, a name", async () => {
    await writeFile("reana.yaml", YAML);
    expect((await reprise(["create", "-n", "here"])).printed).toEqual(["Created here.1."]);
    expect((await reprise(["create", "-f", "reana.yaml", "-n", "here"])).printed).toEqual([
      "Created here.2.",
    ]);
    expect(await inJson("create", "-n", "here")).toMatchObject({ workflow_name: "here.3" });
  });

  test.each([
    [["create"], 1, "There is no reana.yaml in this folder."],
    [["create", "-f", "no.yaml"], 1, "There is no file no.yaml."],
    [["create", "-f", "."], 1, ". is a folder"],
    [["create", "https://x/y.git", "-f", "a"], 2, "Both the address of a repository and a file were given"],
    [["validate", "no.yaml"], 1, "There is no file no.yaml."],
  ])("%j", async (args, code, sentence) => {
    expect(await reprise(args)).toEqual({
      code,
      printed: [],
      errors: [expect.stringContaining(sentence)],
    });
  });

  test("warnings are said beside the answer", async () => {
    const warnings = [{ code: "c", path: "", message: "Mind the gap." }];
    const checkSpecification = async () => ({ ...FAULTLESS, warnings });
    await writeFile("reana.yaml", YAML);
    expect(await reprise(["validate"], { checkSpecification })).toEqual({
      code: 0,
      printed: ["reana.yaml is valid, with 1 warning."],
      errors: ["Warning: Mind the gap."],
    });
  });

  test("invalid YAML is refused with its place", async () => {
    await writeFile("reana.yaml", "a: [");
    const { code, errors } = await reprise(["validate"]);
    expect([code, errors[0]]).toEqual([
      1,
      expect.stringMatching(/^reana.yaml is not valid YAML: .* at line 1/),
    ]);
  });
});

describe("files", () => {
  const content = (name: string) => readFileSync(name, "utf8");

  test("the declared inputs go there, the declared outputs come back", async () => {
    await writeFile("reana.yaml", YAML);
    await mkdir("in/many", { recursive: true });
    await writeFile("in/a.txt", "a");
    for (let count = 0; count < 40; count += 1) await writeFile(`in/many/${count}`, "x".repeat(count));
    await reprise(["create", "-n", "files"]);
    expect((await reprise(["upload", "-w", "files"])).printed).toEqual([
      "Uploaded 41 files (781 B) to files.1.",
    ]);
    expect(await inJson("ls", "-w", "files", "in/many")).toHaveLength(40);
    expect((await reprise(["download", "-w", "files", "-o", "out"])).printed).toEqual([
      "Downloaded 1 file (1 B) to out.",
    ]);
    expect(content("out/in/a.txt")).toBe("a");
    await reprise(["download", "-w", "files", "-o", "out", "in/many/*"]);
    expect((await readdir("out/in/many")).length).toBe(40);
    expect(content("out/in/many/39")).toBe("x".repeat(39));
  });

  test("ls, du, mv and rm", async () => {
    await createRun(api, ada, "small");
    await writeFile("a b.txt", "12345");
    await writeFile("c.txt", "1");
    const on = { environment: { ...SERVER, REPRISE_WORKON: "small" } };
    const run = (...args: string[]) => reprise(args, on);
    expect((await run("upload", "a b.txt", "c.txt", "--to", "in")).code).toBe(0);
    expect((await run("ls")).printed).toEqual([
      expect.stringMatching(/^BYTES  MODIFIED \(Europe\/Zurich\) +NAME$/),
      expect.stringMatching(/^    5  20\S+ \S+ +in\/a b.txt$/),
      expect.stringMatching(/^    1  20\S+ \S+ +in\/c.txt$/),
    ]);
    expect((await run("mv", "in/c.txt", "d.txt")).printed).toEqual(["Moved in/c.txt to d.txt."]);
    expect(await run("mv", "no", "d.txt")).toMatchObject({
      code: 1,
      errors: ["no was not moved: there is no no in the workspace."],
    });
    expect((await run("du", "-s")).printed.at(-1)).toMatch(/^ *[\d.]+ \w+  \.$/);
    expect(await run("rm", "in/*", "no")).toEqual({
      code: 1,
      printed: ["Deleted in/a b.txt (5 B)."],
      errors: ["no was not deleted: There is nothing of that name."],
    });
    expect((await run("ls")).printed).toHaveLength(2);
  });

  test("diff of two runs", async () => {
    for (const name of ["left", "right"]) {
      await createRun(api, ada, name, serial([`echo ${name}`], { n: name.length }));
      await writeFile("file.txt", `the same\n${name}\n`);
      await reprise(["upload", "-w", name, "file.txt"]);
    }
    const { code, printed } = await reprise(["diff", "left", "right.1", "--context", "0"]);
    expect(code).toBe(0);
    expect(printed).toEqual(
      expect.arrayContaining(["- echo left", "+ echo right", "n          4       5", "-left", "+right"]),
    );
    expect(printed).not.toContain(" the same");
    const told = await inJson("diff", "left", "right", "--brief");
    expect(told).toMatchObject({ files: { changed: 1, differences: [{ name: "file.txt", diff: null }] } });
    expect(await reprise(["diff", "left", "none"])).toMatchObject({
      code: 1,
      errors: ["Workflow none does not exist."],
    });
    expect(await reprise(["diff", "left", "right", "--context", "few"])).toMatchObject({ code: 2 });
  });

  test("refused arguments", async () => {
    await createRun(api, ada, "odd");
    await symlink("nowhere", "dangling");
    await symlink(".", "circle");
    await writeFile("real", "r");
    await symlink("real", "to-real");
    expect(await reprise(["upload", "-w", "odd", "none"])).toMatchObject({
      code: 1,
      errors: ["There is no file none."],
    });
    expect(await reprise(["upload", "-w", "odd"])).toMatchObject({
      code: 1,
      errors: ["The specification declares no inputs: name the files to upload."],
    });
    expect(await reprise(["upload", "-w", "odd", "."])).toEqual({
      code: 0,
      printed: ["Uploaded 2 files (2 B) to odd.1."],
      errors: [
        expect.stringMatching(/^(circle|dangling) is a link to no file, and was left out.$/),
        expect.stringMatching(/^(circle|dangling) is a link to no file, and was left out.$/),
      ],
    });
    expect((await reprise(["download", "-w", "odd", "none"])).errors).toEqual([
      "There is no none in the workspace of odd.",
    ]);
    expect((await reprise(["ls"])).code).toBe(2);
  });

  test("a file from another folder keeps only its base name", async () => {
    await createRun(api, ada, "elsewhere");
    await mkdir("here");
    await writeFile("x.txt", "x");
    process.chdir("here");
    expect(await inJson("upload", "-w", "elsewhere", "../x.txt", path.join(folder, "x.txt"))).toEqual({
      uploaded: ["x.txt"],
      bytes: 1,
    });
  });

  test("progress is drawn on a terminal, and taken away", async () => {
    await createRun(api, ada, "drawn");
    await writeFile("x.txt", "x".repeat(2048));
    const drawn: string[] = [];
    const screen = { columns: () => 40, write: (text: string) => void drawn.push(text) };
    await reprise(["upload", "-w", "drawn", "x.txt"], { screen });
    expect(drawn[0]).toBe("\r\u001b[KUploaded 2 KiB of 2 KiB (100 %), 1.95 M");
    expect(drawn.at(-1)).toBe("\r\u001b[K");
  });
});

describe("a run", () => {
  test("start, status, logs, stop, restart, delete, list", async () => {
    const run = await createRun(api, ada, "life", serial(["echo ${x}"], { x: "1" }));
    expect((await reprise(["status", "life"])).printed).toEqual([
      expect.stringMatching(/^NAME +STATUS +JOBS +DURATION +CREATED \(Europe\/Zurich\) +STARTED +ENDED$/),
      expect.stringMatching(/^life.1 +created +- +- +20\S+ \S+ +- +-$/),
    ]);
    expect((await reprise(["start", "life", "--param", "x"])).code).toBe(2);
    expect((await reprise(["start", "life", "--param", "x=2"])).printed).toEqual([
      expect.stringMatching(/^life\.1 is (queued|pending|running)\.$/),
    ]);
    await untilStatus(api, ada, run.id, "running");
    expect(await reprise(["start", "life"])).toMatchObject({
      code: 1,
      errors: ["Workflow life.1 could not be started because it is already running."],
    });
    const watching = reprise(["status", "life", "--watch"]);
    const following = reprise(["logs", "-f", "life"]);
    api.backend.end(await api.backend.startedJob(0), { exitCode: 0 });
    expect(await watching).toMatchObject({ code: 0, errors: [] });
    expect((await watching).printed.at(-1)).toBe("life.1 finished, jobs 1/1");
    expect(await following).toEqual({
      code: 0,
      printed: ["==> s0 <==", "log of echo 2\n"],
      errors: ["life.1 finished."],
    });
    expect((await reprise(["logs", "life", "--step", "s0"])).printed).toEqual([
      "==> s0 <==",
      "log of echo 2\n",
    ]);
    expect(await inJson("logs", "life")).toMatchObject({ engine_specific: null });
    expect(await inJson("list", "life")).toHaveLength(1);
    expect((await reprise(["restart", "life", "--param", "x=3", "--fresh"])).printed).toEqual([
      "Restarted as life.1.1: 1 command to run.",
    ]);
    expect((await reprise(["restart", "life", "--from", "s0"])).errors[0]).toContain(
      "life.1.1 could not be restarted",
    );
    expect((await reprise(["stop", "life"])).printed).toEqual(["Stopped life.1.1."]);
    expect((await reprise(["delete", "life"])).printed).toEqual(["Deleted life.1.1."]);
    expect((await reprise(["delete", "life"])).printed).toEqual(["Deleted life.1."]);
    expect((await reprise(["list", "life"])).printed).toHaveLength(1);
  });

  test("a restart shows beforehand which steps would run, and why", async () => {
    const steps = ["one", "two ${n}", "three"].map((command) => ({
      name: command.slice(0, 3),
      environment: "any",
      commands: [command],
    }));
    const run = await createRun(api, ada, "planned", {
      inputs: { parameters: { n: "1" } },
      workflow: { type: "serial", specification: { steps } },
    });
    const index = api.backend.started.length;
    await reprise(["start", "planned"]);
    for (const job of [0, 1, 2]) api.backend.end(await api.backend.startedJob(index + job), { exitCode: 0 });
    await untilStatus(api, ada, run.id, "finished");
    const plan = (...args: string[]) => reprise(["restart", "planned", "--plan", ...args]);
    const warning =
      "Warning: planned.1 is finished; a restart replaces its results in the shared workspace. " +
      "Use reprise rerun planned.1 to keep both.";
    expect(await plan("-p", "n=2")).toEqual({
      code: 0,
      errors: [warning],
      printed: [
        "ACTION  STEP  COMMAND",
        "keep    one   one",
        expect.stringMatching(/^ {4}Taken over from planned\.1: .*\.$/),
        "run     two   two 2",
        "    parameters.n has changed since planned.1.",
        '    parameters.n: "1" -> "2"',
        "run     thr   three",
        expect.stringMatching(/^ {4}\S.*\.$/),
        "A restart of planned.1 would run 2 of 3 commands, keep 1. Nothing was changed.",
      ],
    });
    expect((await plan("--fresh")).printed.at(-1)).toBe(
      "A restart of planned.1 would run 3 of 3 commands. Nothing was changed.",
    );
    expect((await plan("--from", "nobody")).errors).toEqual([
      expect.stringContaining('There is no step "nobody"'),
    ]);
    expect(await inJson("restart", "planned", "--plan")).toMatchObject({ taken_over: 3, runs: 0 });
    expect(await inJson("list", "planned")).toHaveLength(1);
  });

  test("all commands give the same sentence for why a run failed", async () => {
    const run = await createRun(api, ada, "fails");
    // Another test's run may have been stopped before its job started, or after.
    const index = api.backend.started.length;
    await reprise(["start", "fails"]);
    api.backend.end(await api.backend.startedJob(index), { exitCode: 3 });
    await untilStatus(api, ada, run.id, "failed");
    const sentence = 'Step "s0" failed: its command exited with code 3.';
    expect((await reprise(["status", "fails"])).printed.at(-1)).toBe(sentence);
    expect(await reprise(["status", "fails", "--watch"])).toMatchObject({
      code: 1,
      errors: [sentence],
    });
    expect(await reprise(["logs", "-f", "fails"])).toMatchObject({
      code: 1,
      errors: ["fails.1 failed.", sentence],
    });
  });

  test("two names of a workflow", async () => {
    expect(await reprise(["status", "a", "-w", "b"])).toMatchObject({
      code: 2,
      errors: ["Two workflows were named, a and b: name one."],
    });
  });

  test("failures are JSON when JSON was asked for", async () => {
    const { code, printed, errors } = await reprise(["status", "nothing", "--json"]);
    expect([code, printed]).toEqual([1, []]);
    expect(JSON.parse(errors[0]!)).toEqual({
      message: expect.stringContaining("There is no workflow"),
    });
  });

  test("a list says when there are more", async () => {
    for (const name of ["m", "m", "m"]) await createRun(api, ada, name);
    const { printed, errors } = await reprise(["list", "--count", "2"]);
    expect([printed.length, errors[0]]).toEqual([3, expect.stringMatching(/^These are the newest 2 of \d+/)]);
    expect((await reprise(["list", "--count", "0"])).code).toBe(2);
  });
});

describe("env", () => {
  test("for a shell", async () => {
    const { printed } = await reprise(["env", "fit"]);
    expect(printed).toContain(`export REANA_SERVER_URL=${url}`);
    expect(printed).toContain("export REANA_WORKON=fit");
    const newer = (await reprise(["env", "--client", "0.95"])).printed;
    expect(newer.slice(-3)).toEqual([
      "unset REANA_SERVER_URL",
      `reana-client server-add ${url}`,
      `reana-client server-use ${url}`,
    ]);
    expect((await reprise(["env", "--client", "1"])).code).toBe(2);
  });
});
