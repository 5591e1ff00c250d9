import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { systemClock } from "#plumbing/clock";
import { registerHost, signOffHost } from "#store/hosts/hosts";
import { apiFixture } from "../support/api-fixture.ts";
import { serial } from "../support/run-rows.ts";

/** Tests that every command able to use a server uses the named server. */
const api = await apiFixture();
const url = await api.listen();
afterAll(() => api.close());

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-named-"));
  await writeFile(path.join(folder, "reana.yaml"), JSON.stringify(serial(["greet"])));
  return () => rm(folder, { recursive: true });
});

const NAMED = { REPRISE_SERVER: url, REPRISE_TOKEN: api.admin.token };

function reprise(args: readonly string[], environment: Record<string, string> = NAMED) {
  const cli = fakeCli({
    environment,
    clock: systemClock,
    openRuns: () => Promise.reject(new Error("here")),
  });
  return { cli, ended: runCli(args, cli) };
}

async function endNextJob(exitCode: number): Promise<void> {
  const index = api.backend.started.length;
  api.backend.end(await api.backend.startedJob(index), { exitCode });
}

describe("reprise run", () => {
  test.each([
    ["in the environment", NAMED, []],
    ["as REANA's clients name it", { REANA_SERVER_URL: url, REANA_ACCESS_TOKEN: api.admin.token }, []],
    ["by an option", { ...NAMED, REPRISE_SERVER: "http://127.0.0.1:1" }, ["--server", url]],
  ])("runs on the server that is named %s", async (_how, environment, options) => {
    const { cli, ended } = reprise(["run", folder, "--name", "named", ...options], environment);
    await endNextJob(0);
    expect(await ended, cli.errors.join("\n")).toBe(0);
    expect(cli.errors[0]).toBe(`Running on the server at ${url}.`);
    expect(cli.errors[1]).toMatch(/^named\.\d started\.$/);
    expect(cli.errors.at(-1)).toMatch(/^named\.\d finished after /);
  });

  test("says with a failure that the jobs had the PATH of the server", async () => {
    const { cli, ended } = reprise(["run", folder, "--name", "fails"]);
    await endNextJob(127);
    expect(await ended).toBe(1);
    expect(cli.errors).toContain(`It ran on the server at ${url}, with the PATH of that server.`);
  });

  test("--verbose shows the output of jobs on the server", async () => {
    const { cli, ended } = reprise(["run", folder, "--name", "loud", "--verbose"]);
    await endNextJob(0);
    expect(await ended).toBe(0);
    expect(cli.errors).toContain("s0 | log of greet");
  });

  test("--data uses the server of that folder, whatever the environment names", async () => {
    const { cli, ended } = reprise(["run", folder, "--data", folder]);
    expect(await ended).toBe(1);
    expect(cli.errors).toEqual(["here"]);
  });

  test("without a token, or without a server, says what is missing", async () => {
    const missing = reprise(["run", folder], { REPRISE_SERVER: url });
    expect(await missing.ended).toBe(2);
    expect(missing.cli.errors[0]).toContain("No token was given.");
    const wrong = reprise(["run", folder], { ...NAMED, REPRISE_TOKEN: "wrong" });
    expect(await wrong.ended).toBe(1);
    expect(wrong.cli.errors[0]).toContain("Token not valid");
  });
});

describe("the other commands", () => {
  test("users are those of the named server", async () => {
    const { cli, ended } = reprise(["user", "list", "--json"]);
    expect(await ended).toBe(0);
    expect(cli.printed.join()).toContain(api.admin.email);
  });

  test("hosts are those of the named server, and one that is silent can be declared lost, by id or name", async () => {
    const { db } = api.operations;
    await registerHost(db, { id: "4f1c", name: "laptop" });
    const first = reprise(["admin", "hosts"]);
    expect(await first.ended, first.cli.errors.join()).toBe(0);
    expect(first.cli.printed).toEqual([
      "NAME    STATE    SEEN (UTC)            RUNS  JOBS  ID",
      expect.stringMatching(/^host    present  \S+Z     0     0  host$/),
      expect.stringMatching(/^laptop  present  \S+Z     0     0  4f1c$/),
    ]);
    const refused = reprise(["admin", "declare-lost", "laptop"]);
    expect(await refused.ended).toBe(1);
    expect(refused.cli.errors.join()).toContain("The host laptop (4f1c) is present: it was last seen at");
    await signOffHost(db, "4f1c");
    for (const name of ["laptop", "4f1c"]) {
      const { cli, ended } = reprise(["admin", "declare-lost", name]);
      expect(await ended, cli.errors.join()).toBe(0);
      expect(cli.printed).toEqual(["laptop (4f1c) is declared lost: its runs continue on other hosts."]);
    }
    const listed = reprise(["admin", "hosts", "--json"]);
    expect(await listed.ended).toBe(0);
    expect(JSON.parse(listed.cli.printed.join())).toMatchObject([
      { id: "host", state: "present" },
      { id: "4f1c", state: "lost", seen: null, declared_lost: expect.any(String) },
    ]);
    const unknown = reprise(["admin", "declare-lost", "nobody"]);
    expect(await unknown.ended).toBe(1);
    expect(unknown.cli.errors.join()).toContain("No host has the id or the name nobody.");
  });

  test("drain drains the named server", async () => {
    const { cli, ended } = reprise(["drain", "--end"]);
    expect(await ended, cli.errors.join()).toBe(0);
    expect(cli.printed).toHaveLength(1);
  });

  test.each(["backup", "restore"])("%s is reported as unused", async (command) => {
    const { cli } = reprise([command, path.join(folder, "copy")]);
    const sentence = `REPRISE_SERVER is not used by ${command}, which works on the data folder /nowhere.`;
    await expect.poll(() => cli.errors[0]).toBe(sentence);
  });
});
