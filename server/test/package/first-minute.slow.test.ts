import { existsSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bringModules } from "../guides/desk.ts";
import { type Machine, newMachine } from "./first-minute.ts";

/** The first commands of the README on machines that lack something. All are cloned into a path with a space and an umlaut. */
let machine: Machine;
const results = () => path.join(machine.checkout, "examples", "hello", "results");
const greetings = () => path.join(results(), "greetings.txt");
const data = () => path.join(machine.home, ".local", "share", "reprise");

beforeAll(async () => {
  machine = await newMachine();
  await bringModules(machine.checkout);
});
afterAll(() => machine.remove());
beforeEach(async () => {
  for (const folder of [results(), data()]) await rm(folder, { recursive: true, force: true });
});

async function expectGreetings({ code, printed }: { code: number; printed: string }): Promise<void> {
  expect(code, printed).toBe(0);
  expect(printed).toMatch(/hello\.1 finished after .*\n?/);
  expect(await readFile(greetings(), "utf8")).toContain("Hello, Ada!");
}

test("without podman, docker and bubblewrap", async () => {
  const PATH = await machine.pathWithout("podman", "docker", "bwrap");
  await expectGreetings(await machine.type({ environment: { PATH } }));
});

test("with the programs of the machine, and without a registry of images", async () => {
  await expectGreetings(await machine.type({ environment: { HTTPS_PROXY: "http://127.0.0.1:1" } }));
});

test("under umask 077", async () => {
  await expectGreetings(await machine.type({ first: "umask 077" }));
  expect((await stat(greetings())).mode & 0o777).toBe(0o600);
});

test("without bash, a sentence comes before anything is written", async () => {
  const PATH = await machine.pathWithout("bash");
  const { code, printed } = await machine.type({ environment: { PATH } });
  expect([code, printed]).toEqual([1, expect.stringContaining("There is no bash in the PATH.")]);
  expect([existsSync(data()), existsSync(results())]).toEqual([false, false]);
});

/** Starts a shell as an ordinary user whom the list of users lacks, as container platforms do. */
const UNKNOWN_USER = ["unshare", "--user", "--map-user=54321", "--map-group=54321"];

test("as an ordinary user whom the machine does not know", async () => {
  const { code, printed } = await machine.type({ as: UNKNOWN_USER, first: "id -un" });
  expect(printed).toContain("cannot find name for user ID 54321");
  await expectGreetings({ code, printed });
});

test("without a home, a sentence asks for a data folder, and with one all is well", async () => {
  const homeless = { as: UNKNOWN_USER, first: "unset HOME" };
  expect(await machine.type(homeless)).toEqual({
    code: 1,
    printed:
      "HOME is not set, and this machine knows no home folder of the user (uid 54321). " +
      "Set HOME, or name a folder for the data with --data.\n",
  });
  await expectGreetings(await machine.type({ ...homeless, environment: { REPRISE_DATA: data() } }));
});

test("without a home, a document is checked, and a tool runs as by cwl-runner", async () => {
  const { code, printed } = await machine.type({
    as: UNKNOWN_USER,
    first: "unset HOME",
    commands: [
      "reprise validate examples/hello/reana.yaml",
      "printf '{cwlVersion: v1.2, class: CommandLineTool, baseCommand: [echo, hi], inputs: [], outputs: {}}' > ../echo.cwl",
      "reprise cwl-runner --quiet ../echo.cwl",
    ],
  });
  expect([code, printed]).toEqual([0, expect.stringContaining("reana.yaml is valid")]);
  expect(printed).not.toContain("HOME");
});

test("npm start serves beside a watch that waits for changes", async () => {
  const { code, printed } = await machine.type({
    environment: { REPRISE_PORT: "0" },
    commands: [
      "reprise run examples/hello --watch > ../watched 2>&1 & watch=$!",
      "until grep 'Waiting for changes' ../watched; do sleep 0.1; done",
      "npm start > ../served 2>&1 & server=$!",
      "until grep -E 'is ready|in use' ../served; do sleep 0.1; done",
      "kill $watch $server",
      "wait $watch $server || true",
    ],
  });
  expect(printed).toMatch(/Waiting for changes.*\n.* is ready at /);
  expect(code, printed).toBe(0);
});
