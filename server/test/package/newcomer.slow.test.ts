import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { addressOf, isAlive, type Newcomer, newcomer, type Typed } from "./newcomer.ts";

/** Addresses without a server, so any request to the registry fails. */
const NO_NETWORK = {
  npm_config_registry: "http://127.0.0.1:1",
  HTTPS_PROXY: "http://127.0.0.1:1",
};

/** The steps of a newcomer in their order, from `git clone` on. */
describe("a newcomer", () => {
  const data = "data of mine";
  let me: Newcomer;

  beforeAll(async () => {
    me = await newcomer();
  });

  afterAll(async () => {
    await me.leave();
  });

  const start = (environment?: Record<string, string>) =>
    me.type(["npm", "start", "--", "--port", "0", "--data", data], environment);
  const inData = (file: string) => readFile(path.join(me.checkout, data, file), "utf8");
  const serverPid = async () => (JSON.parse(await inData("server.json")) as { pid: number }).pid;

  test("can interrupt the set-up without leaving it half done", async () => {
    const typed = start();
    await expect.poll(typed.stderr).toContain("Setting up (once)");
    typed.pressCtrlC();
    expect(await typed.ended).not.toBe(0);
  });

  test("starts two commands at once: one sets up, both work", async () => {
    const both = [1, 2].map(() => me.type(["npm", "run", "--silent", "reprise", "--", "version"]));
    expect(await Promise.all(both.map((typed) => typed.ended))).toEqual([0, 0]);
    expect(both.map((typed) => typed.stdout())).toEqual(["reprise 0.1.0\n", "reprise 0.1.0\n"]);
    expect(both.filter((typed) => typed.stderr().includes("Setting up"))).toHaveLength(1);
  });

  test("sees four lines, finds a finished run, and ends the server with Ctrl-C", async () => {
    const typed = start();
    const url = await addressOf(typed);
    const lines = typed.stdout().trimEnd().split("\n").slice(-4);
    expect(lines[0]).toContain(url);
    expect(lines[1]).toContain(`${url}/sign-in#`);
    expect(lines[2]).toContain(`REANA_SERVER_URL=${url}`);
    expect(lines[3]).toContain(data);
    const token = (await inData("admin-token")).trim();
    expect(typed.stdout() + typed.stderr()).not.toContain(token);
    expect(await (await fetch(`${url}/runs`)).text()).toContain('<div id="root">');
    await expect.poll(() => runsOf(url, token)).toEqual(["finished"]);

    const pid = await serverPid();
    typed.pressCtrlC();
    expect(await typed.ended).toBe(0);
    expect(typed.stdout()).toContain("Stopped.");
    expect(isAlive(pid)).toBe(false);
  });

  test("may press Ctrl-C again while the server ends", async () => {
    const typed = me.type([
      "node",
      "tools/run.js",
      "server/bin/reprise.js",
      "serve",
      "--port",
      "0",
      "--data",
      data,
    ]);
    await addressOf(typed);
    typed.pressCtrlC();
    await expect.poll(typed.stdout, { interval: 1 }).toContain("Stopped.");
    const pressing = setInterval(typed.pressCtrlC, 1);
    expect(await typed.ended.finally(() => clearInterval(pressing))).toBe(0);
  });

  test("starts again without a network, with the earlier run", async () => {
    const typed = start(NO_NETWORK);
    const url = await addressOf(typed);
    expect(typed.stderr()).not.toContain("Setting up");
    expect(await runsOf(url, (await inData("admin-token")).trim())).toEqual(["finished"]);
    await endByTerm(typed, await serverPid());
  });

  test("adds a user, with and without a server", async () => {
    const user = async (...args: string[]) => {
      const typed = me.type([
        "node",
        "tools/run.js",
        "server/src/main.ts",
        "user",
        ...args,
        "--data",
        data,
        "--json",
      ]);
      expect(await typed.ended, typed.stderr()).toBe(0);
      return JSON.parse(typed.stdout()) as unknown;
    };
    const alone = (await user("add", "ada@example.org")) as { access_token: string };
    const typed = start();
    const url = await addressOf(typed);
    expect((await client(url, alone.access_token).call("GET", "workflows")).status).toBe(200);
    const beside = (await user("add", "bob@example.org")) as { access_token: string };
    expect((await client(url, beside.access_token).call("GET", "workflows")).status).toBe(200);
    const fresh = (await user("token", "bob@example.org", "--revoke-old")) as { access_token: string };
    expect((await client(url, beside.access_token).call("GET", "workflows")).status).toBe(403);
    expect((await client(url, fresh.access_token).call("GET", "workflows")).status).toBe(200);
    await user("disable", "bob@example.org");
    expect((await client(url, fresh.access_token).call("GET", "workflows")).status).toBe(403);
    await user("enable", "bob@example.org");
    expect((await client(url, fresh.access_token).call("GET", "workflows")).status).toBe(200);
    const during = await user("list");
    await endByTerm(typed, await serverPid());
    expect(await user("list")).toEqual(during);
    expect(during).toHaveLength(3);
  });
});

async function runsOf(url: string, token: string): Promise<string[]> {
  const response = await fetch(`${url}/api/workflows?access_token=${token}`);
  return ((await response.json()) as { status: string }[]).map((run) => run.status);
}

async function endByTerm(typed: Typed, pid: number): Promise<void> {
  typed.kill("SIGTERM");
  await typed.ended;
  expect(isAlive(pid)).toBe(false);
}
