import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { buildPackage } from "../support/built.ts";
import { chainOfCopies, ECHO, scatterOfExpressions, scatterOfTrue } from "../support/cwl-documents.ts";
import { make, makefile } from "../support/make.ts";
import { cwltoolOn, peer } from "../support/peers.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import {
  peakMemoryMb,
  removeFolder,
  type ServerProcess,
  startReprise,
  temporaryFolder,
} from "../support/server-process.ts";
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

/** Measures documents of CWL against cwltool: as whole commands, and on a running server. */
export async function cwl(): Promise<Row[]> {
  peer("cwltool");
  const folder = await temporaryFolder(MEMORY_DISK);
  const rows = await commandRows(folder);
  const server = await startReprise(path.join(folder, "data"));
  const onServer = await serverRows(folder, server);
  await server.stop();
  const wide = await wideRows(folder);
  await removeFolder(folder);
  return [...rows, ...onServer, ...wide];
}

/** Measures `cwl-runner` of the package from the shell's point of view. */
async function commandRows(folder: string): Promise<Row[]> {
  const program = await buildPackage(folder);
  const ours = (document: object, name: string) => timeOfRunner(program, folder, document, name);
  const theirs = (document: object, name: string, ...options: readonly string[]) =>
    timeOfCwltool(folder, document, name, options);
  const chain = chainOfCopies(STEPS);
  const scatter = scatterOfTrue(JOBS);
  return [
    await faster("echo, whole `cwl-runner`", 1.5, theirs(ECHO, "echo"), ours(ECHO, "echo")),
    await faster(
      `chain of ${STEPS} files, whole \`cwl-runner\``,
      1.8,
      theirs(chain, "chain"),
      ours(chain, "chain"),
    ),
    await faster(
      `scatter of ${shown(JOBS)} × \`true\`, whole \`cwl-runner\``,
      1.5,
      theirs(scatter, "scatter", "--parallel"),
      ours(scatter, "scatter"),
      "cwltool --parallel",
    ),
    ...(await expressionRows(ours, theirs)),
  ];
}

type Timing = (document: object, name: string) => Time;

/** Measures one expression: what many of them add to the time for one. */
async function expressionRows(ours: Timing, theirs: Timing): Promise<Row[]> {
  const each = async (timing: Timing, count: number) => {
    const [one, all] = [
      timing(scatterOfExpressions(1), "one"),
      timing(scatterOfExpressions(count), "expressions"),
    ];
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(((await all()) - (await one())) / count);
    return median(times);
  };
  const [own, other] = [await each(ours, EXPRESSIONS), await each(theirs, THEIR_EXPRESSIONS)];
  const what = `a \`valueFrom\` in JavaScript, of ${shown(EXPRESSIONS)}`;
  const detail = `${other.toFixed(2)} against ${own.toFixed(2)} ms`;
  return [
    atLeast(`${what}, times faster`, `cwltool, of ${shown(THEIR_EXPRESSIONS)}`, other / own, 2, detail),
    atMost(`${what}, µs`, "–", own * 1000, 600, "µs"),
  ];
}

/** Measures from the creation of a run to its end. */
async function serverRows(folder: string, { url }: ServerProcess): Promise<Row[]> {
  const runs = runsOf(url);
  let finished = 0;
  const ours = (document: object) => async () => {
    const beganAt = performance.now();
    await runs.start(await runs.createFrom({ type: "cwl", specification: document }));
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const chain = chainOfCopies(STEPS);
  const scatter = scatterOfTrue(JOBS);
  const file = makefile(path.join(folder, "make"), JOBS, (index) => `mkdir -p jobs/${index}; true`);
  const made = await ratioInTurns(ours(scatter), async () => make(file, AT_ONCE), ROUNDS);
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
    await restartRow(runs, scatter, finished),
  ];
}

async function restartRow(runs: ReturnType<typeof runsOf>, document: object, before: number): Promise<Row> {
  let finished = before;
  const timed = async (begin: () => Promise<unknown>) => {
    const beganAt = performance.now();
    await begin();
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const ratios: number[] = [];
  const details: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const run = await runs.createFrom({ type: "cwl", specification: document });
    const first = await timed(() => runs.start(run));
    const again = await timed(() => runs.restart(run));
    ratios.push(again / first);
    details.push(`${again.toFixed(0)} against ${first.toFixed(0)} ms`);
  }
  const what = `restart of that scatter, of which nothing has changed`;
  return atMost(what, "its first run", median(ratios), 0.3, "×", details.at(-1));
}

/** Measures whether a job of a scatter takes as long when there are ten times as many. */
async function wideRows(folder: string): Promise<Row[]> {
  const server = await startReprise(path.join(folder, "wide-data"));
  const runs = runsOf(server.url);
  let finished = 0;
  const eachMs = async (jobs: number) => {
    const run = await runs.createFrom({ type: "cwl", specification: scatterOfTrue(jobs) });
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return (performance.now() - beganAt) / jobs;
  };
  await eachMs(1);
  const few = await eachMs(JOBS);
  const many = await eachMs(MANY_JOBS);
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
