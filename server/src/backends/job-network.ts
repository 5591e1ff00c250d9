import type { Job } from "#workflow/job/job";

/**
 * Which jobs may use the network.
 *
 * - on: every job that does not ask for none, as in REANA;
 * - asked: a job that asks for it;
 * - off: none.
 */
export type JobNetwork = "on" | "off" | "asked";

/** Returns whether a job behind a wall has the network, and the line of its log if it asks for one in vain. */
export function networkOf(
  { network }: Pick<Job, "network">,
  setting: JobNetwork,
): { readonly hasNetwork: boolean; readonly notice?: string } {
  if (network === "full" && setting === "off") return { hasNetwork: false, notice: NO_NETWORK };
  return { hasNetwork: setting === "on" ? network !== "none" : setting === "asked" && network === "full" };
}

const NO_NETWORK = "reprise: The job asks for the network, which is off on this server (--job-network).\n";
