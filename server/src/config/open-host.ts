import { isLoopback } from "#plumbing/loopback";
import type { Config } from "#config/settings";

/**
 * Returns why this configuration must not be served, or undefined. Anyone can use a token that crosses a network in the
 * clear, so a server that others can reach needs TLS, or an explicit statement that a proxy provides it.
 */
export function openHostProblem(config: Config): string | undefined {
  if (isLoopback(config.host) || config.tlsCert !== undefined || config.allowInsecureHost) return undefined;
  return (
    `Others can reach ${config.host}, and without TLS every token would cross the network in the clear. ` +
    "Give --tls-cert and --tls-key, or --allow-insecure-host if something in front of this server speaks TLS."
  );
}
