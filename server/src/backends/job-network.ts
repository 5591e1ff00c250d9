import type { Job } from "#workflow/job/job";

/**
 * The jobs that may use the network.
 *
 * - on: every job, as in REANA, unless the job opts out;
 * - asked: every job that asks for the network;
 * - off: no job.
 */
export type JobNetwork = "on" | "off" | "asked";

/**
 * Returns whether a job behind a wall has the network, and a line for its log if the job asks for the network
 * in vain.
 */
export function networkOf(
  { network }: Pick<Job, "network">,
  setting: JobNetwork,
): { readonly hasNetwork: boolean; readonly notice?: string } {
  if (network === "full" && setting === "off") return { hasNetwork: false, notice: NO_NETWORK };
  return { hasNetwork: setting === "on" ? network !== "none" : setting === "asked" && network === "full" };
}

const NO_NETWORK = "reprise: The job asks for the network, which is off on this server (--job-network).\n";
