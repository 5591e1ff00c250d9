import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { CommandError, reportFailure } from "#cli/failure";
import { type FakeCli, fakeCli, jumpToTimers } from "#cli/fake-cli";
import { fakeRunService, type FakeRunService, viewOf } from "#cli/run/service/fake-run-service";
import { run, type RunOptions } from "#cli/run/run";
import { ParameterProblem } from "#workflow/run/given-parameters";

let folder: string;
let service: FakeRunService;
let cli: FakeCli;

folderForEach((made) => void (folder = made));

beforeEach(async () => {
  service = fakeRunService();
  cli = cliOf();
  await analysis({ inputs: { files: ["code.py"] }, outputs: { files: ["plot.png"] } });
  await put("code.py", "print()");
});

/** Makes a context whose clock jumps ahead to the next timer. */
function cliOf(parts: Parameters<typeof fakeCli>[0] = {}): FakeCli {
  return jumpToTimers(fakeCli({ openRuns: async () => service, ...parts }));
}

async function put(name: string, text: string): Promise<void> {
  const file = path.join(folder, "my fit", name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

const analysis = (specification: object) => put("reana.yaml", JSON.stringify(specification));
const here = (name: string) => readFile(path.join(folder, "my fit", name), "utf8");
const runAnalysis = (options: Partial<RunOptions> = {}) =>
  run(cli, {}, { analysis: path.join(folder, "my fit"), outputs: true, ...options });

describe("reprise run", () => {
  test("copies the inputs, starts, follows to the end and copies the outputs back", async () => {
    service.files.set("plot.png", "a picture");
    const job = { step: "fit", command: "python  fit.py" };
    service.views = [
      viewOf("queued"),
      viewOf("running", [job]),
      viewOf("finished", [{ ...job, status: "finished", tookMs: 2500 }]),
    ];
    expect(await runAnalysis()).toBe(0);
    expect(service.asked).toEqual(["create my-fit", "upload code.py", "start {}", "close"]);
    expect(await here("plot.png")).toBe("a picture");
    expect(cli.errors).toEqual([
      "my-fit.1 started.",
      "my-fit.1: started fit: python fit.py",
      "my-fit.1: finished after 2.5 s: fit: python fit.py",
      expect.stringMatching(/^my-fit\.1 finished after \d\.\d s\.$/),
    ]);
    expect(cli.printed).toEqual([`${path.join(folder, "my fit", "plot.png")}  9 B`]);
  });

  test("follows the newest run of the analysis with --resume, and starts none", async () => {
    service.files.set("plot.png", "a picture");
    expect(await runAnalysis({ resume: true })).toBe(0);
    expect(service.asked).toEqual(["find my-fit", "close"]);
    expect(cli.errors).toEqual([
      "Following my-fit.1, which was started earlier.",
      expect.stringMatching(/^my-fit\.1 finished after/),
    ]);
    expect(await here("plot.png")).toBe("a picture");
    for (const other of [{ watch: true }, { sweep: ["x=1,2"] }])
      await expect(runAnalysis({ resume: true, ...other })).rejects.toThrow("do not go together");
  });

  test("shows a warning about the start", async () => {
    service = fakeRunService({ start: async () => "The hint `Magic` is not known." });
    await runAnalysis();
    expect(cli.errors.slice(0, 2)).toEqual(["my-fit.1 started.", "Warning: The hint `Magic` is not known."]);
  });

  test("leaves only the outputs in the folder, and none with --no-outputs", async () => {
    service.files.set("plot.png", "a picture");
    await runAnalysis({ outputs: false });
    expect((await readdir(path.join(folder, "my fit"))).toSorted()).toEqual(["code.py", "reana.yaml"]);
    await runAnalysis({ output: path.join(folder, "there") });
    expect(await readdir(path.join(folder, "there"))).toEqual(["plot.png"]);
    await runAnalysis();
    expect((await readdir(path.join(folder, "my fit"))).toSorted()).toEqual([
      "code.py",
      "plot.png",
      "reana.yaml",
    ]);
  });

  const failing = async () => ({
    sentence: 'Step "fit" failed: its command exited with code 3.',
    lastLines: ["\u001b[31mno\tfile\u001b[0m\u0007"],
  });

  test("says why a run failed, with the last lines of its job", async () => {
    service.views = [viewOf("failed")];
    service.failure = failing;
    expect(await runAnalysis()).toBe(1);
    expect(cli.errors.slice(1)).toEqual([
      'Step "fit" failed: its command exited with code 3.',
      "The last lines that it printed:",
      "no    file\ufffd",
      expect.stringMatching(/^my-fit\.1 failed after /),
    ]);
    expect(cli.printed).toEqual([]);
  });

  test("shows each line of a reason that holds the telling lines, and no lines twice", async () => {
    service.views = [viewOf("failed")];
    const lastLines = ["Config file(s): []", 'SyntaxError in file "Snakefile", line 2:'];
    const sentence = `Snakemake failed: its command exited with code 1.\n${lastLines[1]}`;
    service.failure = async () => ({ sentence, lastLines });
    expect(await runAnalysis()).toBe(1);
    expect(cli.errors.slice(1)).toEqual([
      ...sentence.split("\n"),
      expect.stringMatching(/^my-fit\.1 failed after /),
    ]);
  });

  test("the partial outputs of a failed run go into their own folder", async () => {
    await analysis({ outputs: { files: ["plot.png", "results", "table.csv"] } });
    await put("plot.png", "of an earlier run");
    service.files.set("plot.png", "half a picture").set("results/a.txt", "a");
    service.views = [viewOf("failed")];
    service.failure = failing;
    expect(await runAnalysis()).toBe(1);
    expect(await here("plot.png")).toBe("of an earlier run");
    expect(await here("failed/my-fit.1/plot.png")).toBe("half a picture");
    const there = path.join(folder, "my fit", "failed", "my-fit.1");
    expect(cli.printed).toEqual([
      `${path.join(there, "plot.png")}  14 B`,
      `${path.join(there, "results", "a.txt")}  1 B`,
    ]);
    expect(cli.errors.slice(-2)).toEqual([
      expect.stringMatching(/^my-fit\.1 failed after /),
      `Partial outputs are in ${there}; they may be incomplete.`,
    ]);
    await runAnalysis({ outputs: false });
    expect(await readdir(path.join(folder, "my fit", "failed"))).toEqual(["my-fit.1"]);
  });

  test("says why a run failed even if its outputs cannot be copied", async () => {
    service.files.set("plot.png", "half a picture");
    service.views = [viewOf("failed")];
    service.failure = failing;
    service.fetch = async () => Promise.reject(new Error("The connection was lost."));
    await expect(runAnalysis()).rejects.toThrow("It is still in the workspace of my-fit.1.");
    expect(cli.errors).toContain('Step "fit" failed: its command exited with code 3.');
    expect(cli.errors.at(-1)).toMatch(/^my-fit\.1 failed after /);
  });

  test("--verbose shows the output of running jobs, between start and end", async () => {
    const job = { id: "j1", step: "fit", command: "python fit.py" };
    const printed = ["chi2 = ", "1\n50 %\r100 %\n\u001b[31mred\u001b[0m", "\ttail"];
    service.views = [
      viewOf("running", [job]),
      viewOf("running", [job]),
      viewOf("finished", [{ ...job, status: "finished", tookMs: 2500 }]),
    ];
    const view = service.view.bind(service);
    service.view = async (id) => {
      const log = (service.files.get("log of j1") ?? "") + (printed.shift() ?? "");
      service.files.set("log of j1", log);
      return view(id);
    };
    expect(await runAnalysis({ verbose: true, outputs: false })).toBe(0);
    expect(cli.errors.slice(1, -1)).toEqual([
      "my-fit.1: started fit: python fit.py",
      "fit | chi2 = 1",
      "fit | 100 %",
      "fit | red    tail",
      "my-fit.1: finished after 2.5 s: fit: python fit.py",
    ]);
  });

  test("says on the terminal that jobs have no sandbox", async () => {
    const warnings = ["Warning: Jobs run without a sandbox."];
    cli = cliOf({ openRuns: async () => ({ ...service, warnings }) });
    expect(await runAnalysis({ outputs: false })).toBe(0);
    expect(cli.errors).toContain(warnings[0]);
  });

  test("says that options for jobs are not used with a server", async () => {
    cli = cliOf({ openRuns: async () => ({ ...service, server: "http://127.0.0.1:7070" }) });
    await run(
      cli,
      { jobEnvironment: "A", containers: "none" },
      { analysis: path.join(folder, "my fit"), outputs: false },
    );
    expect(cli.errors.slice(0, 3)).toEqual([
      "--env is not used: a server gives its jobs its own environment (reprise serve --env).",
      "--containers is not used: a server has its own setting (reprise serve --containers).",
      "Running on the server at http://127.0.0.1:7070.",
    ]);
  });

  test("prints everything as JSON lines", async () => {
    service.files.set("plot.png", "a picture");
    const job = { tookMs: 250, status: "finished" };
    service.views = [viewOf("finished", [job])];
    expect(await runAnalysis({ json: true })).toBe(0);
    const file = path.join(folder, "my fit", "plot.png");
    expect(cli.printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      { run: "my-fit.1", event: "created", id: "1d", warnings: [] },
      {
        run: "my-fit.1",
        event: "job-started",
        job: "job 0",
        step: "fit",
        label: "fit",
        command: "python fit.py",
      },
      {
        run: "my-fit.1",
        event: "job-ended",
        job: "job 0",
        step: "fit",
        label: "fit",
        command: "python fit.py",
        status: "finished",
        duration_ms: 250,
      },
      {
        run: "my-fit.1",
        id: "1d",
        event: "ended",
        status: "finished",
        duration_ms: expect.any(Number) as number,
        outputs: [{ name: "plot.png", bytes: 9, file, beside: false }],
        absent: [],
      },
    ]);
    expect(cli.errors).toEqual([]);
  });

  test("a job that could not begin is not called stopped", async () => {
    service.views = [viewOf("failed", [{ status: "stopped", reason: "not-started" }])];
    expect(await runAnalysis()).toBe(1);
    expect(cli.errors).toContain("my-fit.1: not started: fit: python fit.py");
    expect(cli.errors).not.toContain("my-fit.1: started fit: python fit.py");
  });

  test("reports declared outputs that were not produced", async () => {
    expect(await runAnalysis()).toBe(0);
    expect(cli.errors.at(-1)).toBe("Declared output plot.png was not produced.");
  });

  test("--strict makes a declared output that was not produced a failure", async () => {
    expect(await runAnalysis({ strict: true })).toBe(1);
    service.files.set("plot.png", "a picture");
    expect(await runAnalysis({ strict: true })).toBe(0);
  });

  test("reports declared inputs without a file", async () => {
    await analysis({ inputs: { directories: ["data"] } });
    await mkdir(path.join(folder, "my fit", "data", "empty"), { recursive: true });
    await runAnalysis();
    expect(cli.errors[0]).toBe("data/empty is an empty folder and was left out.");
  });

  test.each([
    ["NoAnswerError", "http://host could not be reached: connect ECONNREFUSED"],
    ["ApiError", "The database does not answer."],
  ])("gives up on a server that is away, with the name of the run: %s", async (name, message) => {
    service.views = [viewOf("running")];
    const away = Object.assign(new Error(message), { name, status: name === "ApiError" ? 503 : 0 });
    service.view = () => Promise.reject(away);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    runAnalysis().then(resolve, resolve);
    const error = await promise;
    expect(reportFailure(cli, error, {}, false)).toBe(3);
    expect(cli.errors.at(-1)).toBe(
      `${message.replace(/\.$/, "")}. my-fit.1 may still be running; check with "reprise status my-fit.1". ` +
        'If its server has ended, the next "reprise serve" resumes it.',
    );
  });

  test("says what a run is waiting for if the wait is long", async () => {
    const waiting = { ...viewOf("queued"), waitingFor: "A job needs cores." };
    service.views = [...Array.from({ length: 20 }, () => waiting), viewOf("finished")];
    await runAnalysis();
    expect(cli.errors.filter((line) => line.includes("waiting"))).toEqual([
      "my-fit.1: waiting: A job needs cores.",
    ]);
  });

  test("refuses before it creates anything: no specification, missing inputs, unknown parameters", async () => {
    await expect(runAnalysis({ analysis: path.join(folder, "none") })).rejects.toThrow(CommandError);
    await expect(runAnalysis({ analysis: folder })).rejects.toThrow("holds no reana.yaml");
    await expect(runAnalysis({ param: ["x=1"] })).rejects.toThrow(ParameterProblem);
    await analysis({ inputs: { files: ["code.py", "a.txt"], directories: ["data"] } });
    await expect(runAnalysis()).rejects.toThrow(/not there: a\.txt, data\. Looked in /);
    expect(service.asked).toEqual([]);
  });

  test("shows the progress of a copy that takes a while", async () => {
    await put("data/large.bin", "");
    await truncate(path.join(folder, "my fit", "data/large.bin"), 100 * 2 ** 20);
    await analysis({ inputs: { directories: ["data"] } });
    service.upload = async () => undefined;
    await runAnalysis();
    expect(cli.errors[0]).toBe("Copied inputs, 100 MiB.");
  });

  test("removes a run that could not be started", async () => {
    service.start = () => Promise.reject(new Error("It cannot be started."));
    await expect(runAnalysis()).rejects.toThrow("It cannot be started.");
    expect(service.asked).toEqual(["create my-fit", "upload code.py", "discard", "close"]);
  });
});

describe("an output that was an input", () => {
  beforeEach(() => analysis({ inputs: { files: ["model.txt"] }, outputs: { files: ["model.txt"] } }));

  test("replaces the existing file", async () => {
    await put("model.txt", "before");
    service.start = async () => void service.files.set("model.txt", "after");
    await runAnalysis();
    expect(await here("model.txt")).toBe("after");
  });

  test("gets another name if the input was changed during the run", async () => {
    await put("model.txt", "before");
    service.start = async () => {
      service.files.set("model.txt", "after");
      await put("model.txt", "of mine");
    };
    expect(await runAnalysis()).toBe(0);
    expect(await here("model.txt")).toBe("of mine");
    expect(await here("model.my-fit.1.txt")).toBe("after");
    expect(cli.errors.at(-1)).toBe(
      "model.txt was changed here during the run and was left alone; the run's version is model.my-fit.1.txt.",
    );
  });
});

describe("Ctrl-C", () => {
  test("at a terminal the first asks, the second stops the run, the third exits at once", async () => {
    cli = cliOf({ screen: { columns: () => 80, write: (text) => void cli.errors.push(text) } });
    const { promise: isStopping, resolve: stopping } = Promise.withResolvers<void>();
    service.views = [viewOf("running")];
    const stop = service.stop.bind(service);
    service.stop = async (id) => {
      stopping();
      await stop(id);
    };
    const ended = runAnalysis();
    await expect.poll(() => cli.errors.join("")).toContain("started");
    cli.send("SIGINT");
    expect(cli.errors.join("")).toContain("Press Ctrl-C again to stop my-fit.1.");
    // The first press again, forwarded by npm.
    cli.send("SIGINT");
    expect(service.asked).not.toContain("stop");
    cli.nowMs += 5000;
    cli.send("SIGINT");
    await isStopping;
    expect(await ended).toBe(130);
  });

  test("without a terminal the first one stops the run", async () => {
    service.views = [viewOf("running")];
    const ended = runAnalysis();
    await expect.poll(() => service.asked).toContain("start {}");
    cli.send("SIGTERM");
    expect(await ended).toBe(130);
    expect(service.asked).toContain("stop");
    expect(cli.errors.at(-2)).toMatch(/^my-fit\.1 was stopped after /);
    expect(cli.errors.at(-1)).toContain('"reprise restart my-fit.1"');
  });

  test("while the inputs are copied: leaves nothing of the run", async () => {
    const upload = service.upload.bind(service);
    service.upload = async (...args) => {
      cli.send("SIGTERM");
      await upload(...args);
    };
    await analysis({ inputs: { directories: ["data"] } });
    for (let index = 0; index < 20; index += 1) await put(`data/${index}.txt`, "x");
    expect(await runAnalysis()).toBe(130);
    expect(service.asked).toContain("discard");
    expect(service.asked.filter((word) => word.startsWith("start"))).toEqual([]);
  });

  test("after the end of the run, Ctrl-C changes nothing", async () => {
    service.views = [viewOf("running"), viewOf("finished")];
    service.stop = () => Promise.reject(new Error("It has finished."));
    const ended = runAnalysis();
    await expect.poll(() => service.asked).toContain("start {}");
    cli.send("SIGTERM");
    expect(await ended).toBe(0);
  });
});
