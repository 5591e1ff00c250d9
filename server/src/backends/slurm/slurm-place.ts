import process from "node:process";
import { BackendAwayError } from "#backends/backend";
import { type ProgramResult, runProgram } from "#backends/containers/run-program";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import type { Listing, Place, SentJob } from "#backends/record/place";
import { sbatchWords } from "#backends/slurm/describe";
import { clusterIn, parseSqueue, silentNodesIn, squeueWords } from "#backends/slurm/squeue";
import { printable } from "#plumbing/text/printable";

/** Time limit of a command of Slurm. A busy controller answers late. */
const COMMAND_MAX_MS = 30_000;
/** Limit on the jobs of one call of `scancel`, whose arguments have a limited length. */
const CANCELLED_AT_ONCE = 1000;

/** Slurm by its own commands, on a host that can submit jobs. */
export const slurmPlace: Place = {
  name: "Slurm",

  async send(job: SentJob): Promise<string> {
    const result = await command("sbatch", sbatchWords(job));
    if (result.code !== 0) throw failure("sbatch", result);
    // A site may print a banner first. With several clusters, the name of the cluster follows.
    const id = /^(\d+)(;\S+)?$/m.exec(result.stdout)?.[1];
    if (id === undefined)
      throw new BackendAwayError(`sbatch printed no number of a job: ${lastLine(result.stdout)}.`);
    return id;
  },

  async list({ isWhole }): Promise<Listing> {
    const { jobs, cluster: listed } = parseSqueue(await output("squeue", squeueWords({ isWhole })));
    const cluster = listed ?? clusterIn(await output("scontrol", ["show", "config"]));
    if (!isWhole) return { cluster, jobs, silentNodes: new Map() };
    const nodes = await output("sinfo", ["--noheader", "--Node", "--format=%N|%t"]);
    return { cluster, jobs, silentNodes: silentNodesIn(nodes) };
  },

  async end(outsideIds) {
    for (let at = 0; at < outsideIds.length; at += CANCELLED_AT_ONCE) {
      const some = outsideIds.slice(at, at + CANCELLED_AT_ONCE);
      const result = await command("scancel", ["--quiet", ...some]);
      if (result.code !== 0 && isAway(result)) throw failure("scancel", result);
    }
  },
};

async function output(name: string, words: readonly string[]): Promise<string> {
  const result = await command(name, words);
  if (result.code === 0) return result.stdout;
  // Without an answer nothing is known, whatever the reason.
  throw new BackendAwayError(sentenceOf(name, result));
}

/** Only these variables reach Slurm: `sbatch` hands its own environment to the job. */
function command(name: string, words: readonly string[]): Promise<ProgramResult> {
  const { SLURM_CONF, HOME = "/" } = process.env;
  const environment = { ...HOST_ENVIRONMENT, HOME, ...(SLURM_CONF !== undefined && { SLURM_CONF }) };
  return runProgram([name, ...words], { timeoutMs: COMMAND_MAX_MS, environment });
}

/** Words of Slurm about itself, not about the job. */
const AWAY =
  /Unable to contact slurm controller|Munge|munge|authentication|Socket timed out|Communication connection failure|Connection (refused|reset|timed out)|Zero Bytes|temporarily unable|ENOENT|did not answer within|resource temporarily unavailable|Unable to establish|slurm.conf|backup controller/i;

function isAway({ code, stderr }: ProgramResult): boolean {
  return code === null || AWAY.test(stderr);
}

function failure(name: string, result: ProgramResult): Error {
  const sentence = sentenceOf(name, result);
  return isAway(result) ? new BackendAwayError(sentence) : new Error(sentence);
}

function sentenceOf(name: string, { stderr, code }: ProgramResult): string {
  const said = lastLine(stderr).replace(/^\w+: (error: )?/, "");
  const what = said === "" ? `it ended with exit code ${code ?? "none"} and said nothing` : said;
  return `Slurm: ${name} failed: ${what.replace(/\.$/, "")}.`;
}

function lastLine(text: string): string {
  return printable(text.trim().split("\n").at(-1) ?? "", 300);
}
