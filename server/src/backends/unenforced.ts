import { humanSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";
import type { JobFeature } from "#workflow/capabilities";
import type { Job } from "#workflow/job/job";

const SHOWN_MAX = 200;

/** Returns what the job demands and the backend does not enforce, as parts of a sentence. */
export function unenforced(job: Job, provides: readonly JobFeature[]): ReadonlyMap<JobFeature, string> {
  return new Map([...demandsOf(job)].filter(([demand]) => !provides.includes(demand)));
}

function* demandsOf(job: Job): Generator<readonly [JobFeature, string]> {
  const { image, writable, network, user, kerberos, vomsProxy, rucio, limits = {} } = job;
  if (image !== null) yield ["image", `the image ${printable(image, SHOWN_MAX)}`];
  if (writable) yield ["writable-folders", `writing only to ${listed(writable)}`];
  if (network === "none") yield ["network", "no network"];
  if (user) yield ["user", `the user ${user.uid} and the group ${user.gid}`];
  // A folder of this machine is visible without a mount, if it exists.
  const mounts = (job.mounts ?? []).filter(({ from, at }) => from !== at);
  if (mounts.length > 0) yield ["mounts", `the mounts ${listed(mounts.map(({ at }) => at))}`];
  if (kerberos) yield ["kerberos", "a Kerberos ticket"];
  if (vomsProxy) yield ["voms-proxy", "a VOMS proxy"];
  if (rucio) yield ["rucio", "a configuration of Rucio"];
  if (limits.timeMs !== undefined) yield ["time-limit", `a time limit of ${limits.timeMs / 1000} s`];
  if (limits.memoryBytes !== undefined)
    yield ["memory-limit", `a memory limit of ${humanSize(limits.memoryBytes)}`];
  if (limits.cores !== undefined) yield ["core-limit", `a limit of ${limits.cores} cores`];
  if (limits.diskBytes !== undefined) yield ["disk-limit", `a disk limit of ${humanSize(limits.diskBytes)}`];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : printable(names.join(", "), SHOWN_MAX);
}

/**
 * Demands that are not mentioned in the log. Most specifications name an image: `validate` warns about the
 * image, and a failure explained by the image mentions it. Writing elsewhere and using the network are
 * forbidden by a sandbox only, and the job works as well without a sandbox. A job that may use more cores
 * than its limit only ends earlier.
 */
const UNSPOKEN: readonly JobFeature[] = ["image", "writable-folders", "network", "core-limit"];

/** Demands without which a command must not start. */
const REQUIRED: readonly JobFeature[] = ["voms-proxy", "rucio"];

/** Throws if the job demands a credential of the grid that the backend does not give. */
export function checkRequired(job: Job, provides: readonly JobFeature[], place: string): void {
  const demands = [...unenforced(job, provides)].filter(([demand]) => REQUIRED.includes(demand));
  if (demands.length === 0) return;
  const what = demands.map(([, demand]) => demand).join(" and ");
  throw new Error(
    `The step needs ${what}, which ${place} cannot give to jobs. Run the step with another compute_backend.`,
  );
}

/**
 * Returns the first line of the log of a job with demands that the backend does not enforce. Undefined if all
 * demands are enforced or need no mention.
 */
export function unenforcedNotice(job: Job, provides: readonly JobFeature[]): string | undefined {
  const demands = unenforced(job, provides);
  if ([...demands.keys()].every((demand) => UNSPOKEN.includes(demand))) return undefined;
  return `reprise: Not enforced on this server: ${[...demands.values()].join("; ")}.\n`;
}
