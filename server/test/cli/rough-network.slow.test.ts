import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { COMMAND_GROUPS } from "#cli/commands";
import { runCli } from "#cli/program";
import { type Clock, systemClock } from "#plumbing/clock";
import { Dice } from "../simulation/dice.ts";
import { apiFixture, type FixtureUser } from "../support/api-fixture.ts";
import { COMMAND_ROWS, type CommandRow } from "../support/command-rows.ts";
import { cuttingProxy } from "../support/fakes/cutting-proxy.ts";
import { movableClock } from "../support/fakes/movable-clock.ts";
import { roughProxy } from "./rough-proxy.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../support/run-rows.ts";

/** The files of a small crate, by their names. */
const CRATE = {
  "ro-crate-metadata.json": JSON.stringify({
    "@context": "https://w3id.org/ro/crate/1.1/context",
    "@graph": [
      {
        "@id": "ro-crate-metadata.json",
        about: { "@id": "./" },
        conformsTo: { "@id": "https://w3id.org/ro/crate/1.1" },
      },
      { "@id": "./", "@type": "Dataset" },
    ],
  }),
  "reana.yaml": JSON.stringify({ ...serial(["true"]), inputs: { files: ["new.txt"] } }),
  "new.txt": "this is new.txt",
};

/** A clock without waits before retries. */
const IMPATIENT: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 15_000 ? 0 : ms, callback),
};

const api = await apiFixture();
const server = await api.listen();
const proxy = await roughProxy(server);
const before = process.cwd();
let folder: string;
const users: FixtureUser[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-rough-"));
  process.chdir(folder);
  await writeFile("reana.yaml", JSON.stringify(serial(["true"])));
  for (const name of ["new.txt", "other.txt"]) await writeFile(name, `this is ${name}`);
  await mkdir("crate");
  for (const [name, content] of Object.entries(CRATE)) await writeFile(path.join("crate", name), content);
});
afterEach(async () => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
  proxy.letGo();
  proxy.fate(() => "pass");
  for (const user of users.splice(0)) await changeStatus(api, user, "w", "stop");
});
afterAll(async () => {
  await proxy.close();
  await api.close();
});

/** Creates a user for each test, so names and numbers are reproducible. */
async function prepare({ from }: Pick<CommandRow, "from">): Promise<FixtureUser> {
  const user = await api.makeUser();
  if (from === undefined) return user;
  users.push(user);
  const { id } = await createRun(api, user, "w");
  for (const name of ["one.txt", "two.txt"]) {
    const url = `/api/workflows/w/workspace?file_name=${name}&${T(user)}`;
    await api.inject({ method: "POST", url, payload: `this is ${name}` });
  }
  if (from === "created") return user;
  const index = api.backend.started.length;
  await changeStatus(api, user, id, "start");
  const job = await api.backend.startedJob(index);
  await untilStatus(api, user, id, "running");
  if (from === "finished") api.backend.end(job, { exitCode: 0 });
  await untilStatus(api, user, id, from);
  return user;
}

async function reprise(
  user: FixtureUser,
  args: readonly string[],
  { clock = IMPATIENT, url = proxy.url }: { clock?: Clock; url?: string } = {},
) {
  const environment = { REPRISE_SERVER: url, REPRISE_TOKEN: user.token };
  const cli = fakeCli({ environment, clock });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed.map(inGeneral), errors: cli.errors.map(inGeneral), cli };
}

/** Replaces times, ids and other variable text. */
function inGeneral(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:]{8}(,\d+)?/g, "<time>")
    .replaceAll(/\b\d+\.\d s\b/g, "<duration>")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/\b(queued|pending|running)\b(?! there)/g, "<live>")
    .replaceAll(/[\w-]+\.[\w-]+\.[\w-]{30,}/g, "<token>")
    .replaceAll(/#[\w-]{43}$/g, "#<code>")
    .replaceAll(/\b[\d.]+ KiB\b/g, "<size>")
    .replaceAll(/ {2,}/g, "  ");
}

/** Returns all data of a user. A change made twice would show here. */
async function stateOf(user: FixtureUser) {
  const ask = async <Record>(url: string) =>
    (await api.inject(`${url}${url.includes("?") ? "&" : "?"}${T(user)}`)).json<Record>();
  const { items } = await ask<{ items: { id: string; name: string; status: string }[] }>(
    "/api/workflows?page=1",
  );
  const runs = items.map(async ({ id, name, status }) => {
    const files = await ask<{ items: { name: string; size: { raw: number } }[] }>(
      `/api/workflows/${id}/workspace`,
    );
    const jobs = await ask<{ total: number }>(`/api/workflows/${id}/jobs`);
    const isLive = ["queued", "pending", "running"].includes(status);
    const named = files.items.map((file) => `${file.name} ${file.size.raw}`).sort();
    return { name, status: isLive ? "live" : status, files: named, jobs: isLive ? "some" : jobs.total };
  });
  return { runs: await Promise.all(runs), here: (await readdir(".", { recursive: true })).sort() };
}

type Undisturbed = ReturnType<typeof goUndisturbed>;
const known = new Map<string, Undisturbed>();

/** Returns the outcome without disturbance, and how many requests it takes. */
function undisturbed(command: string, row: CommandRow): Undisturbed {
  const outcome = known.get(command) ?? goUndisturbed(command, row);
  known.set(command, outcome);
  return outcome;
}

async function goUndisturbed(command: string, row: CommandRow) {
  const user = await prepare(row);
  proxy.fate(() => "pass");
  const { cli: _cli, ...outcome } = await reprise(user, [command, ...row.args]);
  // A refused command prints the refusal, and a failed command prints the reason.
  const fails = row.code !== undefined && row.prints.length === 0;
  const failure = fails ? [expect.any(String) as string] : [];
  expect([outcome.code, outcome.errors]).toEqual([row.code ?? 0, row.warns ? [row.warns] : failure]);
  expect(outcome.printed).toEqual(row.prints.map((line) => line.replaceAll("<server>", proxy.url)));
  return { outcome, requests: proxy.requests(), state: await stateOf(user) };
}

async function clearFolder(): Promise<void> {
  rmSync("out", { recursive: true, force: true });
}

test("each command that talks to a server has its row; run and drain have tests of their own", () => {
  const commands = COMMAND_GROUPS.flatMap((group) => group.commands);
  const remote = commands.filter((command) => "namesServer" in command && command.namesServer);
  const names = remote.map(({ usage }) => usage.split(" ", 1).join());
  expect([...Object.keys(COMMAND_ROWS), "run", "drain"].sort()).toEqual(names.sort());
});

const AGAIN = "The server does not answer; trying again for a while …";

describe.each(Object.entries(COMMAND_ROWS))("%s", (command, row) => {
  test("without a server, prints a single sentence", async () => {
    const user = await prepare(row);
    proxy.fate(() => "away");
    const { code, printed, errors } = await reprise(user, [command, ...row.args]);
    if (row.asksNobody) return expect([code, errors]).toEqual([0, []]);
    expect([code, printed]).toEqual([1, []]);
    expect(errors.at(-1)).toMatch(
      /^http:\S+ could not be reached: .*\. Is the server running there\? Name another one with --server or REPRISE_SERVER\.$/,
    );
    expect(errors.slice(0, -1)).toEqual([AGAIN]);
  });

  test("on a slow server, reports the wait, and ends equally", async () => {
    const { outcome, state, requests } = await undisturbed(command, row);
    await clearFolder();
    const user = await prepare(row);
    proxy.fate((count) => (count === 1 ? "hold" : "pass"));
    const clock = movableClock();
    const going = reprise(user, [command, ...row.args], { clock });
    if (requests > 0) {
      await expect.poll(() => proxy.held()).toBe(1);
      clock.pass(15_000);
      proxy.letGo();
    }
    const waited = `${proxy.url} is slow to respond; waiting …`;
    const { cli: _cli, ...slow } = await going;
    const errors = requests > 0 ? [waited, ...outcome.errors] : [];
    expect(slow).toEqual({ ...outcome, errors });
    expect(await stateOf(user)).toEqual(state);
  });

  test.each(["cut", "drop"] as const)(
    "each answer in turn: %s, and it comes to the same end",
    async (fate) => {
      const { outcome, requests, state } = await undisturbed(command, row);
      expect(requests > 0).toBe(!row.asksNobody);
      for (let cut = 1; cut <= requests; cut += 1) {
        await clearFolder();
        const user = await prepare(row);
        proxy.fate((count) => (count === cut ? fate : "pass"));
        const { cli: _cli, ...broken } = await reprise(user, [command, ...row.args]);
        const errors = broken.errors.filter((line) => line !== AGAIN);
        expect({ ...broken, errors }, `answer ${cut}`).toEqual(outcome);
        expect(await stateOf(user), `answer ${cut}`).toEqual(state);
      }
    },
  );
});

/** `run` is not in the table, because the command uses the running server of its data folder. */
describe("run", () => {
  beforeEach(async () => {
    const inputs = { files: ["new.txt", "other.txt", "third.txt"] };
    await writeFile("third.txt", "this is third.txt");
    const outputs = { files: ["new.txt"] };
    await writeFile("reana.yaml", JSON.stringify({ ...serial(["true"]), inputs, outputs }));
    await mkdir("data");
    await writeFile(path.join("data", "server.json"), JSON.stringify({ url: proxy.url, pid: 1 }));
  });

  async function runAnalysis(clock: Clock) {
    const user = await api.makeUser();
    await writeFile(path.join("data", "admin-token"), user.token);
    const cli = fakeCli({ clock });
    const going = runCli(["run", "--data", "data", "-n", "w", "--output", "out"], cli);
    const job = api.backend.startedJob(api.backend.started.length);
    const code = await Promise.race([going, job.then((id) => api.backend.end(id, { exitCode: 0 }))]);
    return { code: code ?? (await going), ...cli, user };
  }

  async function expectWhole({ code, printed, errors, user }: Awaited<ReturnType<typeof runAnalysis>>) {
    expect([code, printed], errors.join("\n")).toEqual([0, ["out/new.txt  15 B"]]);
    expect(await readFile(path.join("out", "new.txt"), "utf8")).toBe("this is new.txt");
    const files = ["new.txt 15", "other.txt 17", "third.txt 17"];
    const { runs } = await stateOf(user);
    expect(runs).toEqual([{ name: "w.1", status: "finished", files, jobs: 1 }]);
  }

  test.each(["cut", "drop"] as const)(
    "each answer in turn: %s, and it comes to the same end",
    async (fate) => {
      proxy.fate(() => "pass");
      await expectWhole(await runAnalysis(IMPATIENT));
      const requests = proxy.requests();
      // Identify the user, create, send, start, look at the run and its jobs, list and fetch.
      expect(requests).toBeGreaterThanOrEqual(8);
      for (let cut = 1; cut <= requests; cut += 1) {
        await clearFolder();
        proxy.fate((count) => (count === cut ? fate : "pass"));
        await expectWhole(await runAnalysis(IMPATIENT));
      }
    },
  );

  test("where the server is slow or goes away, says that it waits", async () => {
    proxy.fate((count) => (count === 3 ? "away" : "pass"));
    const soonSlow: Clock = {
      ...systemClock,
      after: (ms, callback) => systemClock.after(ms < 15_000 ? ms : 0, callback),
    };
    const ran = await runAnalysis(soonSlow);
    await expectWhole(ran);
    expect(ran.errors).toContain(AGAIN);
    expect(ran.errors).toContain(`${proxy.url} is slow to respond; waiting …`);
  });
});

describe("the server goes away in the middle, and comes back", () => {
  test.each([
    ["start --watch", "created", ["start", "w", "--watch"]],
    ["status --watch", "running", ["status", "w", "--watch"]],
    ["restart --watch", "finished", ["restart", "w", "--fresh", "--watch"]],
    ["logs -f", "running", ["logs", "-f", "w"]],
  ] as const)("%s continues to the end", async (_name, from, args) => {
    const user = await prepare({ from });
    const index = api.backend.started.length;
    const cli = fakeCli({
      environment: { REPRISE_SERVER: proxy.url, REPRISE_TOKEN: user.token },
      clock: movableClock(),
    });
    const going = runCli(args, cli);
    await expect.poll(() => cli.printed.join("\n")).toMatch(/is running|==> s0 <==/);
    proxy.fate(() => "away");
    proxy.disconnect();
    await expect.poll(() => cli.errors).toContain(AGAIN);
    proxy.fate(() => "pass");
    const job = from === "running" ? api.backend.started.at(-1)! : await api.backend.startedJob(index);
    api.backend.end(job, { exitCode: 0 });
    expect(await going).toBe(0);
    expect([...cli.printed, ...cli.errors].join("\n")).toMatch(/ finished/);
  });

  test("a server that does not come back is reported in one sentence", async () => {
    const user = await prepare({ from: "running" });
    const clock = movableClock();
    const environment = { REPRISE_SERVER: proxy.url, REPRISE_TOKEN: user.token };
    const cli = fakeCli({ environment, clock });
    let ended: number | undefined;
    void runCli(["status", "w", "--watch"], cli).then((code) => (ended = code));
    await expect.poll(() => cli.printed.join("\n")).toMatch(/is running/);
    proxy.fate(() => "away");
    await expect
      .poll(() => {
        clock.pass(10_000);
        return ended;
      })
      .toBe(3);
    expect(cli.errors).toEqual([AGAIN, expect.stringMatching(/could not be reached.*w\.1 may still/s)]);
  });
});

test("behind a proxy that drops every third answer, each change happens once", async () => {
  const user = await prepare({});
  const tell = async (...args: string[]) => {
    const { code, errors } = await reprise(user, args);
    const warning = expect.stringContaining("a restart replaces its results") as string;
    const expected = args[0] === "restart" ? [warning] : [];
    expect([code, errors.filter((line) => line !== AGAIN)], args.join(" ")).toEqual([0, expected]);
  };
  const endJob = async (from: number) => api.backend.end(await api.backend.startedJob(from), { exitCode: 0 });
  users.push(user);
  proxy.fate((count) => (count % 3 === 0 ? "drop" : "pass"));
  for (let round = 1; round <= 3; round += 1) {
    await tell("create", "-n", "w");
    await tell("upload", "-w", `w.${round}`, "new.txt", "other.txt");
    await tell("mv", "-w", `w.${round}`, "new.txt", "moved.txt");
    await tell("rm", "-w", `w.${round}`, "other.txt");
    const index = api.backend.started.length;
    await tell("start", `w.${round}`);
    await endJob(index);
    await tell("status", `w.${round}`, "--watch");
    await tell("restart", `w.${round}`, "--fresh");
    await endJob(index + 1);
    await tell("status", `w.${round}.1`, "--watch");
    expect(api.backend.started.length).toBe(index + 2);
  }
  await tell("delete", "w.2.1");
  const { runs } = await stateOf(user);
  const files = ["moved.txt 15"];
  const finished = (name: string) => ({ name, status: "finished", files, jobs: 1 });
  expect(runs).toEqual(["w.3.1", "w.3", "w.2", "w.1.1", "w.1"].map(finished));
  expect(proxy.requests()).toBeGreaterThan(30);
});

test.each([1, 2, 3])("files there and back over connections cut at any byte, seed %i", async (seed) => {
  const user = await prepare({ from: "created" });
  const dice = new Dice(seed, "content");
  const contentOf = (bytes: number) => Buffer.alloc(bytes, `${dice.unit()}`);
  const files = new Map<string, Buffer>();
  for (let index = 0; index < 30; index += 1) files.set(`f${index}`, contentOf(dice.between(0, 50_000)));
  // Large enough to be sent in parts.
  files.set("large", contentOf(9 << 20));
  for (const [name, content] of files) await writeFile(name, content);
  const cutting = await cuttingProxy(server, { seed, cuts: 20, lifeBytesMax: 1 << 20 });
  const names = [...files.keys()];
  // A command whose connection is cut before any answer may give up. The user then repeats the command, and
  // the command resumes.
  const insist = async (...args: string[]) => {
    for (let tries = 0; tries < 20; tries += 1) {
      if ((await reprise(user, args, { url: cutting.url })).code === 0) return;
    }
    expect.unreachable(`${args[0]} did not come to an end`);
  };
  await insist("upload", "-w", "w", ...names);
  await insist("download", "-w", "w", ...names, "-o", "out");
  for (const [name, content] of files) expect(content.equals(await readFile(`out/${name}`)), name).toBe(true);
  expect((await readdir("out")).sort()).toEqual(names.sort());
  expect(cutting.cutsLeft()).toBeLessThan(20);
  cutting.close();
});
