import { writeFileSync } from "node:fs";
import path from "node:path";
import { BackendAwayError } from "#backends/backend";
import {
  LISTING_WORDS,
  listedJobs,
  machinesIn,
  parseAds,
  scheddIn,
  scheddOf,
} from "#backends/htcondor/condor-ads";
import { submitText } from "#backends/htcondor/describe";
import { clusterCommands, lastLine } from "#backends/record/cluster-commands";
import type { Listing, Place, SentJob } from "#backends/record/place";

const condor = clusterCommands({
  name: "HTCondor",
  variables: ["CONDOR_CONFIG", "_CONDOR_SCHEDD_HOST", "_CONDOR_COLLECTOR_HOST", "KRB5CCNAME"],
  away: /Failed to (connect|fetch)|find address|unknown host|communication error|CEDAR|SECMAN|AUTHENTICATE|DCSchedd|timed? ?out|ENOENT|did not answer within|CONDOR_CONFIG|printed more than/i,
  said: (stderr) => stderr.split(/^ *Extra Info:/m)[0]!.replaceAll(/\s+/g, " "),
});
/** Limit on the jobs of one call of `condor_rm`, whose arguments have a limited length. */
const REMOVED_AT_ONCE = 1000;
/** Limit on the ended jobs of one listing. */
const HISTORY_MAX_JOBS = 10_000;

/** HTCondor by its own commands, on a host that can submit jobs. */
export const condorPlace: Place = {
  name: "HTCondor",
  reusesIds: true,

  async send(job: SentJob): Promise<string> {
    const file = path.join(path.dirname(job.orderFile), "submit");
    writeFileSync(file, submitText(job), { mode: 0o600 });
    const result = await condor.submit("condor_submit", ["-terse", file]);
    if (result.code !== 0) throw condor.failure("condor_submit", result);
    const id = /^(\d+\.\d+) - \d+\.\d+$/m.exec(result.stdout)?.[1];
    if (id === undefined)
      throw new BackendAwayError(`condor_submit printed no number of a job: ${lastLine(result.stdout)}.`);
    return id;
  },

  async list({ isWhole }): Promise<Listing> {
    const queue = parseAds("condor_q", await condor.output("condor_q", LISTING_WORDS));
    const cluster = scheddOf(queue) ?? scheddIn(await condor.output("condor_q", ["-totals"]));
    if (!isWhole) return { cluster, jobs: listedJobs(queue), silentNodes: new Map() };
    const limits = ["-limit", String(HISTORY_MAX_JOBS)];
    const history = await condor.output("condor_history", [...LISTING_WORDS, ...limits]);
    const machines = await condor.output("condor_status", ["-af", "Machine", "UtsnameNodename"]);
    return {
      cluster,
      jobs: listedJobs(queue, parseAds("condor_history", history)),
      silentNodes: new Map(),
      answeringNodes: machinesIn(machines),
    };
  },

  async end(outsideIds) {
    for (let at = 0; at < outsideIds.length; at += REMOVED_AT_ONCE) {
      const some = outsideIds.slice(at, at + REMOVED_AT_ONCE);
      const result = await condor.run("condor_rm", some);
      if (result.code !== 0 && condor.isAway(result)) throw condor.failure("condor_rm", result);
    }
  },
};
