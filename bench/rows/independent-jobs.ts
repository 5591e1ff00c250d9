import os from "node:os";
import path from "node:path";
import { cwltool, independentRules, peer, snakemake } from "../support/peers.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";
import { withQueue } from "./queued-runs.ts";

const JOBS = 1000;
/** Snakemake takes half a minute for each round. */
const ROUNDS = 2;

/** Measures 1,000 independent jobs, as 1,000 runs of one job each on the server. */
export async function independentJobs(): Promise<Row[]> {
  peer("snakemake");
  peer("cwltool");
  const folder = await temporaryFolder(MEMORY_DISK);
  const faster = async (theirs: () => Promise<number>) =>
    withQueue((through) => ratioInTurns(theirs, through, ROUNDS));
  const than = {
    snakemake: await faster(() =>
      snakemake(path.join(folder, "s"), independentRules(JOBS), os.availableParallelism()),
    ),
    cwltool: await faster(() => cwltool(path.join(folder, "c"), JOBS)),
  };
  await removeFolder(folder);
  const what = "1,000 independent jobs (ours: 1,000 runs), times faster";
  return [
    atLeast(what, "Snakemake", than.snakemake.ratio, 5, `${than.snakemake.detail} ms`),
    atLeast(what, "cwltool", than.cwltool.ratio, 2, `${than.cwltool.detail} ms`),
  ];
}
