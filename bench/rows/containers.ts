import { copyFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";
import { BASH_IMAGE, openPodman, type Podman } from "../../server/src/backends/containers/podman-fixture.ts";
import { commandLinesWith, commandLineWith, shellCommand } from "../support/command-line.ts";
import { make, makefile } from "../support/make.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { type Runs, runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, median, type Row } from "../support/table.ts";

const JOBS = 50;
const MANY = 300;
const ROUNDS = 3;
const AT_ONCE = os.availableParallelism();
/** Found again in the list of processes. */
const WAITING = "sleep 1000.75";

/** Measures jobs `true` in containers, against podman started by GNU make with equal options. */
export async function containers(): Promise<Row[]> {
  const podman = openPodman();
  try {
    return [...(await againstMake()), ...(await oneAfterTheOther(podman))];
  } finally {
    podman.close();
  }
}

async function againstMake(): Promise<Row[]> {
  const { folder, runs, stop } = await serve();
  const waiting = await runs.createFrom(inImage([WAITING]));
  await runs.start(waiting);
  const { words } = await commandLineWith("podman", WAITING);
  const file = makefile(path.join(folder, "make"), JOBS, recipeOf(words, folder));
  let finished = 0;
  const inOneRun = async () => {
    const run = await runs.createFrom(inImage(times(JOBS, "true")));
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
  const inManyRuns = async () => {
    const all = [];
    for (let index = 0; index < JOBS; index += 1) all.push(await runs.createFrom(inImage(["true"])));
    const beganAt = performance.now();
    for (const run of all) await runs.start(run);
    await runs.reach("finished", (finished += JOBS));
    return performance.now() - beganAt;
  };
  const chain = await ratioInTurns(inOneRun, async () => make(file), ROUNDS);
  const fan = await ratioInTurns(inManyRuns, async () => make(file, AT_ONCE), ROUNDS);
  await runs.stop(waiting);
  await stop();
  const what = `${JOBS} jobs \`true\` in a container`;
  const against = "GNU make with the same `podman run`";
  return [
    atMost(`${what}, one after the other, ms`, against, chain.ratio, 1.15, "×", chain.detail),
    atMost(`${what}, ${AT_ONCE} at a time, ms`, against, fan.ratio, 1.2, "×", fan.detail),
  ];
}

/**
 * Returns the command by which make starts a container: equal to the waiting job's, but with a separate name.
 */
function recipeOf(words: readonly string[], folder: string): (index: number) => string {
  const variables = path.join(folder, "variables");
  copyFileSync(valueOf(words, "--env-file="), variables);
  return (index) => {
    const own = words.map((word) =>
      word
        .replace(/^--name=.*/, `--name=bench-${index}`)
        .replace(/^--env-file=.*/, `--env-file=${variables}`)
        .replace(/^--pidfile=.*/, `--pidfile=${path.join(folder, `pid-${index}`)}`)
        .replace(WAITING, "true"),
    );
    return shellCommand(own).replaceAll("$", "$$$$");
  };
}

function valueOf(words: readonly string[], option: string): string {
  return words.find((word) => word.startsWith(option))!.slice(option.length);
}

async function oneAfterTheOther(podman: Podman): Promise<Row[]> {
  const spans: Spans[] = [];
  for (let round = 0; round < ROUNDS; round += 1) spans.push(await spansOfMany());
  const ratio = median(spans.map(({ first, last }) => last / first));
  const detail = spans.map(({ first, last }) => `${last} against ${first}`).join(", ");
  const left = leftOf(podman);
  return [
    atMost(`${MANY} containers, the last ${JOBS}, ms`, `the first ${JOBS}`, ratio, 1.1, "×", detail),
    atMost("what is left of them", "–", left.length, 0, "", left.join(", ")),
  ];
}

/** Milliseconds from the start of the first job to the end of the last one. */
interface Spans {
  readonly first: number;
  readonly last: number;
}

async function spansOfMany(): Promise<Spans> {
  const { folder, dataFolder, runs, stop } = await serve();
  const run = await runs.createFrom(inImage(times(MANY, "true")));
  await runs.start(run);
  await runs.reach("finished", 1);
  await stop({ keepsFolder: true });
  const jobs = timesOfJobs(dataFolder);
  await removeFolder(folder);
  return { first: spanMs(jobs.slice(0, JOBS)), last: spanMs(jobs.slice(-JOBS)) };
}

interface Served {
  readonly folder: string;
  readonly dataFolder: string;
  readonly runs: Runs;
  stop(how?: { readonly keepsFolder: boolean }): Promise<void>;
}

/** Starts a server with room for the waiting job and as many jobs as make runs. */
async function serve(): Promise<Served> {
  const folder = await temporaryFolder();
  const environment = {
    REPRISE_CONTAINERS: "podman",
    REPRISE_PULL_IMAGES: "never",
    REPRISE_CORES: String(AT_ONCE + 1),
  };
  const server = await startReprise(path.join(folder, "data"), { environment });
  return {
    folder,
    dataFolder: server.dataFolder,
    runs: runsOf(server),
    async stop({ keepsFolder } = { keepsFolder: false }) {
      await server.stop();
      if (!keepsFolder) await removeFolder(folder);
    },
  };
}

interface JobTimes {
  readonly started_at: number;
  readonly finished_at: number;
}

function timesOfJobs(dataFolder: string): readonly JobTimes[] {
  const db = new SqliteDatabase(path.join(dataFolder, "reprise.sqlite"), { readonly: true });
  const rows = db.prepare("SELECT started_at, finished_at FROM jobs ORDER BY ordinal").all() as JobTimes[];
  db.close();
  return rows;
}

function spanMs(jobs: readonly JobTimes[]): number {
  return jobs.at(-1)!.finished_at - jobs[0]!.started_at;
}

/** Returns all existing containers, volumes and monitors. */
function leftOf(podman: Podman): string[] {
  const volumes = podman.run("volume", "ls", "--quiet").split("\n").filter(Boolean);
  const monitors = commandLinesWith("conmon", podman.folder).map(({ pid }) => `conmon ${pid}`);
  return [...podman.containers(), ...volumes, ...monitors];
}

function inImage(commands: readonly string[]): object {
  return { type: "serial", specification: { steps: [{ commands, environment: BASH_IMAGE }] } };
}

function times(count: number, command: string): string[] {
  return Array.from({ length: count }, () => command);
}
