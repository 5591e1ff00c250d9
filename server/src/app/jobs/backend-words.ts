import type { Config } from "#config/settings";
import type { BackendCapabilities } from "#workflow/capabilities";

/**
 * Returns the words of `compute_backend` for a place: its own words, unless the settings give them to another place, and the
 * words that the settings add.
 */
export function wordsOfPlace(
  place: Config["backends"][number],
  { computeBackends }: Pick<BackendCapabilities, "computeBackends">,
  { backends, computeBackends: given }: Pick<Config, "backends" | "computeBackends">,
): readonly string[] {
  const hasKubernetes = backends.some((one) => one === "kubernetes");
  const own =
    place === "local" && hasKubernetes ? withKubernetes(computeBackends, backends) : computeBackends;
  const kept = own.filter((word) => (given[word] ?? place) === place);
  const added = Object.keys(given).filter((word) => given[word] === place);
  return [...new Set([...kept, ...added])];
}

/**
 * A step for Kubernetes runs on this machine, unless the server has a Kubernetes. A server with one runs steps on its own
 * machine only if the settings name that: the machine may be a Pod with the rights and the secrets of the server.
 */
function withKubernetes(words: readonly string[], backends: readonly string[]): readonly string[] {
  return backends.includes("local") ? words.filter((word) => word !== "kubernetes") : [];
}
