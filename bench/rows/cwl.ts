import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { buildPackage } from "../support/built.ts";
import { chainOfCopies, ECHO, scatterOfExpressions, scatterOfTrue } from "../support/cwl-documents.ts";
import { make, makefile } from "../support/make.ts";
import { cwltoolOn, peer } from "../support/peers.ts";
import { ratioInTurns, ratioOfBest } from "../support/rounds.ts";
import { type Runs, runsOf } from "../support/runs.ts";
import { peakMemoryMb, removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atLeast, atMost, median, type Row } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";

const STEPS = 50;
const JOBS = 1000;
const MANY_JOBS = 10_000;
const EXPRESSIONS = 10_000;
const THEIR_EXPRESSIONS = 1000;
const ROUNDS = 3;
const AT_ONCE = os.availableParallelism();

type Time = () => Promise<number>;

/** Measures `cwl-runner` of the package from the shell's point of view, against cwltool. */
export async function cwlCommands(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const { ours, theirs } = await timings(folder);
    const chain = chainOfCopies(STEPS);
    const scatter = scatterOfTrue(JOBS);
    const wide = `scatter of ${shown(JOBS)} × \`true\`, whole \`cwl-runner\``;
    const parallel = timeOfCwltool(folder, scatter, "scatter", ["--parallel"]);
    return [
      await faster("echo, whole `cwl-runner`", 1.5, theirs(ECHO, "echo"), ours(ECHO, "echo")),
      await faster(
        `chain of ${STEPS} files, whole \`cwl-runner\``,
        1.8,
        theirs(chain, "chain"),
        ours(chain, "chain"),
      ),
      await faster(wide, 1.5, parallel, ours(scatter, "scatter"), "cwltool --parallel"),
    ];
  });
}

type Timing = (document: object, name: string) => Time;

/** Measures the cost per expression: the added time of many expressions, divided by their number. */
export async function cwlExpressions(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const { ours, theirs } = await timings(folder);
    const [own, other] = [await eachMs(ours, EXPRESSIONS), await eachMs(theirs, THEIR_EXPRESSIONS)];
    const what = `a \`valueFrom\` in JavaScript, of ${shown(EXPRESSIONS)}`;
    const detail = `${other.toFixed(2)} against ${own.toFixed(2)} ms`;
    return [
      atLeast(`${what}, times faster`, `cwltool, of ${shown(THEIR_EXPRESSIONS)}`, other / own, 2, detail),
      atMost(`${what}, µs`, "–", own * 1000, 600, "µs"),
    ];
  });
}

async function eachMs(timing: Timing, count: number): Promise<number> {
  const one = timing(scatterOfExpressions(1), "one");
  const all = timing(scatterOfExpressions(count), "expressions");
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(((await all()) - (await one())) / count);
  return median(times);
}

async function timings(folder: string): Promise<{ readonly ours: Timing; readonly theirs: Timing }> {
  peer("cwltool");
  const program = await buildPackage(folder);
  return {
    ours: (document, name) => timeOfRunner(program, folder, document, name),
    theirs: (document, name) => timeOfCwltool(folder, document, name),
  };
}

async function inFolder(measure: (folder: string) => Promise<Row[]>): Promise<Row[]> {
  const folder = await temporaryFolder(MEMORY_DISK);
  try {
    return await measure(folder);
  } finally {
    await removeFolder(folder);
  }
}

/** Measures from the creation of a run on a server to its end. */
export async function cwlOnServer(): Promise<Row[]> {
  peer("cwltool");
  return inFolder(async (folder) => {
    const server = await startReprise(path.join(folder, "data"));
    const rows = await serverRows(folder, runsToTheirEnds(runsOf(server)));
    await server.stop();
    return rows;
  });
}

type RunsToTheirEnds = Pick<Runs, "createFrom"> & Record<"start" | "restart", (run: string) => Promise<void>>;

/** Returns requests that also wait for the end of the run. */
function runsToTheirEnds(runs: Runs): RunsToTheirEnds {
  let begun = 0;
  const untilOver = () => runs.reach("finished", (begun += 1));
  return {
    createFrom: runs.createFrom,
    start: async (run) => runs.start(run).then(untilOver),
    restart: async (run) => runs.restart(run).then(untilOver),
  };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}

async function serverRows(folder: string, runs: RunsToTheirEnds): Promise<Row[]> {
  const ours = (document: object) => () =>
    timeOf(async () => runs.start(await runs.createFrom({ type: "cwl", specification: document })));
  const chain = chainOfCopies(STEPS);
  const scatter = scatterOfTrue(JOBS);
  const file = makefile(path.join(folder, "make"), JOBS, (index) => `mkdir -p jobs/${index}; true`);
  const made = await ratioOfBest(ours(scatter), async () => make(file, AT_ONCE), { rounds: ROUNDS });
  const what = `scatter of ${shown(JOBS)} × \`true\` on a server, ms`;
  return [
    await faster("echo on a server", 5, timeOfCwltool(folder, ECHO, "echo"), ours(ECHO)),
    await faster(
      `chain of ${STEPS} files on a server`,
      4,
      timeOfCwltool(folder, chain, "chain"),
      ours(chain),
    ),
    atMost(what, "GNU make with a folder for each job", made.ratio, 5, "×", made.detail),
    await restartRow(runs, scatter),
  ];
}

async function restartRow(runs: RunsToTheirEnds, document: object): Promise<Row> {
  const ratios: number[] = [];
  const details: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const run = await runs.createFrom({ type: "cwl", specification: document });
    const first = await timeOf(() => runs.start(run));
    const again = await timeOf(() => runs.restart(run));
    ratios.push(again / first);
    details.push(`${again.toFixed(0)} against ${first.toFixed(0)} ms`);
  }
  const what = `restart of that scatter, of which nothing has changed`;
  return atMost(what, "its first run", median(ratios), 0.3, "×", details.at(-1));
}

/** Measures whether a job of a scatter takes as long when there are ten times as many. */
export async function cwlScatter(): Promise<Row[]> {
  return inFolder(wideRows);
}

async function wideRows(folder: string): Promise<Row[]> {
  const server = await startReprise(path.join(folder, "wide-data"));
  const runs = runsToTheirEnds(runsOf(server));
  const jobMs = async (jobs: number) => {
    const run = await runs.createFrom({ type: "cwl", specification: scatterOfTrue(jobs) });
    return (await timeOf(() => runs.start(run))) / jobs;
  };
  await jobMs(1);
  const few = await jobMs(JOBS);
  const many = await jobMs(MANY_JOBS);
  const peakMb = await peakMemoryMb(server.pid);
  await server.stop();
  const what = `a job in a scatter of ${shown(MANY_JOBS)} on a server`;
  const detail = `${many.toFixed(2)} against ${few.toFixed(2)} ms`;
  return [
    atMost(what, `of ${shown(JOBS)}`, many / few, 1.2, "×", detail),
    atMost("memory of the server with it", "–", peakMb, 300, "MB"),
  ];
}

async function faster(
  what: string,
  bound: number,
  theirs: Time,
  ours: Time,
  against = "cwltool",
): Promise<Row> {
  const { ratio, detail } = await ratioInTurns(theirs, ours, ROUNDS);
  return atLeast(`${what}, times faster`, against, ratio, bound, `${detail} ms`);
}

function timeOfRunner(program: string, folder: string, document: object, name: string): Time {
  // Compiled code is cached there: the benchmark measures every run of the command after the first.
  const env = { ...process.env, XDG_CACHE_HOME: path.join(folder, "cache"), TMPDIR: folder };
  return async () => {
    const file = await written(folder, document, name);
    const args = [program, "cwl-runner", "--quiet", `--outdir=${path.join(folder, "ours", name)}`, file];
    const beganAt = performance.now();
    await promisify(execFile)(process.execPath, args, { env });
    return performance.now() - beganAt;
  };
}

function timeOfCwltool(
  folder: string,
  document: object,
  name: string,
  options: readonly string[] = [],
): Time {
  return async () => {
    await written(folder, document, name);
    return cwltoolOn(folder, `${name}.cwl`, options);
  };
}

async function written(folder: string, document: object, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${name}.cwl`);
  await writeFile(file, JSON.stringify(document));
  return file;
}

function shown(count: number): string {
  return count.toLocaleString("en");
}
