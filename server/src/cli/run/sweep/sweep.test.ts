import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { type FakeCli, fakeCli } from "#cli/fake-cli";
import { fakeRunService, type FakeRunService, viewOf } from "#cli/run/service/fake-run-service";
import { run, type RunOptions } from "#cli/run/run";

let folder: string;
let service: FakeRunService;
let cli: FakeCli;

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  service = fakeRunService();
  service.files.set("plot.png", "a picture");
  cli = fakeCli({ openRuns: async () => service });
  const specification = { inputs: { parameters: { x: 1, y: "b" } }, outputs: { files: ["plot.png"] } };
  await writeFile(path.join(folder, "reana.yaml"), JSON.stringify(specification));
});

const sweepIt = (sweep: string[], options: Partial<RunOptions> = {}) =>
  run(cli, {}, { analysis: folder, name: "fit", outputs: true, sweep, ...options });
const started = () => service.asked.filter((word) => word.startsWith("start"));

describe("reprise run --sweep", () => {
  test("runs each combination, and copies outputs into separate folders", async () => {
    expect(await sweepIt(["x=1,2"], { param: ["y=c"] })).toBe(0);
    expect(started()).toEqual(['start {"y":"c","x":1}', 'start {"y":"c","x":2}']);
    for (const label of ["x=1", "x=2"]) {
      expect(await readFile(path.join(folder, "sweep", label, "plot.png"), "utf8")).toBe("a picture");
    }
    expect(cli.printed.map((line) => line.replace(/\d\.\d s/, "TIME"))).toEqual([
      "RUN    x  STATUS    DURATION  plot.png",
      "fit.1  1  finished  TIME     a picture",
      "fit.2  2  finished  TIME     a picture",
    ]);
  });

  test("shows short texts, and marks equal outputs", async () => {
    await writeFile(
      path.join(folder, "reana.yaml"),
      JSON.stringify({ inputs: { parameters: { x: 1 } }, outputs: { files: ["a", "b"] } }),
    );
    service.files.set("a", "half-life 6.5: chi2 = 0.3\n").set("b", "two\nlines");
    expect(await sweepIt(["x=1,2"], { outputs: false })).toBe(0);
    expect(cli.printed.slice(1).map((line) => line.split(/ {2,}/).slice(4))).toEqual([
      ["half-life 6.5: chi2 = 0.3", "9 B a"],
      ["half-life 6.5: chi2 = 0.3", "9 B a"],
      [],
    ]);
  });

  test("compares without copying outputs back, and in JSON", async () => {
    expect(await sweepIt(["x=1,2"], { outputs: false, json: true })).toBe(0);
    const last = JSON.parse(cli.printed.at(-1)!) as { event: string; runs: { parameters: object }[] };
    expect(last.event).toBe("compared");
    expect(last.runs.map((one) => one.parameters)).toEqual([{ x: "1" }, { x: "2" }]);
    await expect(readFile(path.join(folder, "sweep", "x=1", "plot.png"))).rejects.toThrow("ENOENT");
  });

  test("fails if one of the runs fails, and says which and why", async () => {
    const views = new Map([["1d", viewOf("finished")]]);
    service.view = async (id) => views.get(id) ?? viewOf("failed");
    service.failure = async () => ({ sentence: 'Step "fit" failed.', lastLines: [] });
    expect(await sweepIt(["x=1,2"])).toBe(1);
    expect(cli.errors).toContain('Step "fit" failed.');
    expect(cli.errors).toContainEqual(expect.stringMatching(/^fit\.2 with x=2 failed after /));
  });

  test("on a terminal, nothing stands in the line of the last sentence", async () => {
    let written = "";
    cli = fakeCli({
      openRuns: async () => service,
      screen: { columns: () => 80, write: (text) => void (written += text) },
    });
    const lines: string[] = [];
    cli.printError = (line) =>
      void lines.push(`${written.endsWith("\r\u001b[K") ? "" : "after text: "}${line}`);
    service.view = async () => viewOf("failed");
    expect(await sweepIt(["x=1,2"])).toBe(1);
    expect(lines).toHaveLength(2);
    expect(lines).toEqual(lines.map(() => expect.stringMatching(/^Partial outputs are in /)));
  });

  test("the partial outputs of a failed run go into their own folder, and are not compared", async () => {
    service.view = async (id) => viewOf(id === "1d" ? "finished" : "failed");
    service.files.set("plot.png", "half of it");
    expect(await sweepIt(["x=1,2"])).toBe(1);
    const there = path.join(folder, "sweep", "x=2", "failed", "fit.2");
    expect(await readFile(path.join(there, "plot.png"), "utf8")).toBe("half of it");
    expect(cli.errors.at(-1)).toBe(`Partial outputs are in ${there}; they may be incomplete.`);
    expect(cli.printed.find((line) => line.startsWith("fit.2"))).toMatch(/failed +\S+ \S+ +-$/);
  });

  test("reports outputs that were not produced, and fails with --strict", async () => {
    service.files.clear();
    expect(await sweepIt(["x=1"], { strict: true })).toBe(1);
    expect(cli.errors.at(-1)).toBe("fit.1: declared output plot.png was not produced.");
  });

  test("checks all values before it creates anything", async () => {
    await expect(sweepIt(["x=1,two"])).rejects.toThrow(
      'x must be a number (the specification has 1), not "two".',
    );
    expect(service.asked).toEqual([]);
  });

  test("stops the other runs if a run cannot be started", async () => {
    service.views = [viewOf("running")];
    const start = service.start.bind(service);
    service.start = (id, parameters) =>
      id === "3d" ? Promise.reject(new Error("The disk is full.")) : start(id, parameters);
    await expect(sweepIt(["x=1,2,3"])).rejects.toThrow("The disk is full.");
    expect(service.asked.filter((word) => ["stop", "discard", "close"].includes(word))).toEqual([
      "discard",
      "stop",
      "stop",
      "close",
    ]);
  });

  test("Ctrl-C stops all runs, and shows their state", async () => {
    service.views = [viewOf("running")];
    const ended = sweepIt(["x=1,2"]);
    await expect.poll(started).toHaveLength(2);
    cli.send("SIGTERM");
    expect(await ended).toBe(130);
    expect(cli.printed.slice(1).map((line) => line.split(/ +/)[2])).toEqual(["stopped", "stopped"]);
  });
});
