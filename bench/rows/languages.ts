import os from "node:os";
import path from "node:path";
import { mapReduce } from "../support/map-reduce.ts";
import { chainedRules, independentRules, peer, snakemake, yadage } from "../support/peers.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { type RunDetails, runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atLeast, atMost, type Row } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";

const JOBS = 1000;
const LINKS = 100;
const PARTS = 50;
const AT_ONCE = os.availableParallelism();
/** Snakemake takes half a minute for each round. */
const FEW_ROUNDS = 2;
const ROUNDS = 3;

/**
 * Measures whole runs, from the request that starts them, against the commands of plain Snakemake. Each side makes the
 * report as well, as every run of Snakemake does here and on REANA.
 */
export async function snakemakeRuns(): Promise<Row[]> {
  const workflow = { type: "snakemake", file: "Snakefile" };
  const compare = (snakefile: string, rounds: number) =>
    onServer(["--snakemake", peer("snakemake")], async (run, folder) =>
      ratioInTurns(
        () => run(workflow, { files: { Snakefile: snakefile } }),
        () => snakemake(path.join(folder, "plain"), snakefile, AT_ONCE),
        rounds,
      ),
    );
  const wide = await compare(independentRules(JOBS), FEW_ROUNDS);
  const deep = await compare(chainedRules(LINKS), ROUNDS);
  const against = `plain Snakemake with its report, ${AT_ONCE} cores`;
  return [
    atMost("Snakemake, 1,000 independent jobs, whole run, ms", against, wide.ratio, 1.2, "×", wide.detail),
    atMost(`Snakemake, chain of ${LINKS}, whole run, ms`, against, deep.ratio, 1.2, "×", deep.detail),
  ];
}

/** Measures a whole run, from the start request to its end, against the command of yadage. */
export async function yadageMapReduce(): Promise<Row[]> {
  peer("yadage-run");
  const { stages, parameters } = mapReduce(PARTS);
  const workflow = { type: "yadage", specification: { stages } };
  const { ratio, detail } = await onServer([], (run, folder) =>
    ratioInTurns(
      () => yadage(path.join(folder, "theirs"), { stages, parameters }, AT_ONCE),
      () => run(workflow, { inputs: { parameters } }),
      ROUNDS,
    ),
  );
  const what = `Yadage, map-reduce of ${PARTS}, whole run, times faster`;
  return [atLeast(what, `yadage, ${AT_ONCE} processes`, ratio, 5, `${detail} ms`)];
}

/** Performs a run on the server. Returns the milliseconds from the start request to the end. */
type TimeRun = (workflow: object, details: RunDetails) => Promise<number>;

async function onServer<Result>(
  settings: readonly string[],
  measure: (run: TimeRun, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const server = await startReprise(path.join(folder, "data"), { settings });
  const runs = runsOf(server);
  let finished = 0;
  const result = await measure(async (workflow, details) => {
    const run = await runs.createFrom(workflow, details);
    const beganAt = performance.now();
    await runs.start(run);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  }, folder);
  await server.stop();
  await removeFolder(folder);
  return result;
}
