import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { type FakeCli, fakeCli, jumpToTimers } from "#cli/fake-cli";
import { fakeRunService, type FakeRunService, viewOf } from "#cli/run/service/fake-run-service";
import { run, type RunOptions } from "#cli/run/run";

let folder: string;
let service: FakeRunService;
let cli: FakeCli;

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  service = fakeRunService();
  cli = jumpToTimers(fakeCli({ openRuns: async () => service }));
  await put("code.py", "1");
  await specify({ inputs: { files: ["code.py"] } });
});

const put = (name: string, text: string) => writeFile(path.join(folder, name), text);
const specify = (specification: object) => put("reana.yaml", JSON.stringify(specification));
const watchIt = (options: Partial<RunOptions> = {}) =>
  run(cli, {}, { analysis: folder, name: "fit", outputs: true, watch: true, ...options });
const runs = () => service.asked.filter((word) => word.startsWith("start")).length;
const waits = () => cli.errors.filter((line) => line.startsWith("Waiting for changes")).length;

describe("reprise run --watch", () => {
  test("runs again when an input or the specification has changed, until Ctrl-C", async () => {
    const ended = watchIt();
    await expect.poll(waits).toBe(1);
    await put("code.py", "print(2)");
    await expect.poll(waits).toBe(2);
    expect(service.files.get("code.py")).toBe("print(2)");
    await specify({ inputs: { files: ["code.py"] }, outputs: {} });
    await expect.poll(waits).toBe(3);
    expect(runs()).toBe(3);
    cli.send("SIGINT");
    expect(await ended).toBe(0);
  });

  test("holds the data folder only while a run is active", async () => {
    const ended = watchIt();
    await expect.poll(waits).toBe(1);
    expect(service.asked.at(-1)).toBe("close");
    cli.send("SIGINT");
    await ended;
  });

  test("does not mistake copied outputs for a change", async () => {
    await specify({ inputs: { directories: ["."] }, outputs: { files: ["plot.png", "code.py"] } });
    service.start = async () => {
      service.asked.push("start");
      service.files.set("plot.png", "a picture").set("code.py", "made by the run");
    };
    const ended = watchIt();
    await expect.poll(waits).toBe(1);
    const looksSince = cli.nowMs;
    while (cli.nowMs < looksSince + 20_000) await turn();
    expect(runs()).toBe(1);
    expect(await readFile(path.join(folder, "code.py"), "utf8")).toBe("made by the run");
    cli.send("SIGINT");
    await ended;
  });

  test("waits after a run whose outputs are not inputs", async () => {
    await specify({ inputs: { files: ["code.py"] }, outputs: { files: ["plot.png"] } });
    service.files.set("plot.png", "a picture");
    const ended = watchIt();
    await expect.poll(waits).toBe(1);
    const looksSince = cli.nowMs;
    while (cli.nowMs < looksSince + 20_000) await turn();
    expect(runs()).toBe(1);
    await put("code.py", "print(2)");
    await expect.poll(waits).toBe(2);
    expect(runs()).toBe(2);
    cli.send("SIGINT");
    await ended;
  });

  test("reports a problem once, and continues when it is fixed", async () => {
    const ended = watchIt();
    await expect.poll(waits).toBe(1);
    await rm(path.join(folder, "code.py"));
    const said = () => cli.errors.filter((line) => line.includes("not there: code.py")).length;
    await expect.poll(said).toBe(1);
    await put("code.py", "3");
    await expect.poll(waits).toBe(2);
    expect([said(), runs()]).toEqual([1, 2]);
    service.create = () => Promise.reject(new Error("The specification is malformed."));
    await put("code.py", "33");
    await expect.poll(waits).toBe(3);
    expect(cli.errors).toContain("The specification is malformed.");
    cli.send("SIGINT");
    expect(await ended).toBe(1);
  });

  test("ends when a run was stopped", async () => {
    service.views = [viewOf("running")];
    const ended = watchIt();
    await expect.poll(runs).toBe(1);
    cli.send("SIGTERM");
    expect(await ended).toBe(130);
  });

  test("works on local files only, and not with --sweep", async () => {
    await expect(watchIt({ analysis: "https://host/a/fit" })).rejects.toThrow("cannot be watched");
    const options = { analysis: folder, outputs: true, watch: true, sweep: ["x=1"] };
    await expect(run(cli, {}, options)).rejects.toThrow("do not go together");
  });
});
