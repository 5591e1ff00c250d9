import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

const at = (seconds: number) => `2026-11-22T12:00:0${seconds}`;
const ENTRIES = [
  { time: at(0), action: "start-server", user: "reprise", subject: { version: "1.2.3", port: "8080" } },
  {
    time: at(1),
    action: "create",
    user: "ada@example.org",
    ip: "10.0.0.7",
    status: 201,
    subject: { run: "fit.1" },
  },
  {
    time: at(2),
    action: "start",
    user: "eve@example.org",
    ip: "10.0.0.8",
    status: 403,
    subject: { run: "fit.1" },
  },
  { time: at(3), action: "create", user: "ada@example.org", ip: "10.0.0.7", status: 500, subject: {} },
];

beforeEach(async () => {
  await mkdir(path.join(folder, "logs"));
  const lines = ENTRIES.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  await writeFile(path.join(folder, "logs", "audit.log"), `${lines}{"time":"2026-`);
});

async function shown(...args: string[]) {
  const cli = fakeCli();
  const code = await runCli(["admin", "audit", "--data", folder, ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("prints the actor, the action, the object, the address and the outcome", async () => {
  expect((await shown()).printed).toEqual([
    "TIME (UTC)           USER             FROM      ACTION        ON                       OUTCOME",
    "2026-11-22T12:00:00  reprise          -         start-server  version=1.2.3 port=8080  done",
    "2026-11-22T12:00:01  ada@example.org  10.0.0.7  create        run=fit.1                done",
    "2026-11-22T12:00:02  eve@example.org  10.0.0.8  start         run=fit.1                refused (403)",
    "2026-11-22T12:00:03  ada@example.org  10.0.0.7  create        -                        failed (500)",
  ]);
});

test("the entries can be limited to one user, to one run, and to the newest", async () => {
  const of = async (...args: string[]) =>
    JSON.parse((await shown("--json", ...args)).printed.join("")) as object[];
  expect(await of("--user", "ada@example.org")).toEqual([ENTRIES[1], ENTRIES[3]]);
  expect(await of("--run", "fit.1")).toEqual([ENTRIES[1], ENTRIES[2]]);
  expect(await of("--last", "1")).toEqual([ENTRIES[3]]);
  expect(await shown("--last", "none")).toMatchObject({ code: 2 });
});

test("a file name with any character, and damaged lines, leave the other entries readable", async () => {
  const file = path.join(folder, "logs", "audit.log");
  const odd = { ...ENTRIES[1], subject: { file_name: "a\u2028b" } };
  await writeFile(file, `{"time":"2026-${JSON.stringify(ENTRIES[0])}\n${JSON.stringify(odd)}\n`);
  const { code, printed, errors } = await shown("--json");
  expect(code).toBe(0);
  expect(JSON.parse(printed.join(""))).toEqual([odd]);
  expect(errors).toEqual(["1 line of the audit log cannot be read. A full disk can leave a part of a line."]);
});

test("a folder without a log is named", async () => {
  const cli = fakeCli();
  expect(await runCli(["admin", "audit", "--data", path.join(folder, "none")], cli)).toBe(1);
  expect(cli.errors.join()).toContain("no server has run on this data folder");
});
