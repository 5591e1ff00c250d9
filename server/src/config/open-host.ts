import { isLoopback } from "#plumbing/loopback";
import type { Config } from "#config/settings";

/**
 * Returns the reason not to serve this configuration, or undefined. Anyone can use a token sent over a
 * network in the clear, so a server reachable from other machines needs TLS, or an explicit statement about a
 * proxy with TLS.
 */
export function openHostProblem(config: Config): string | undefined {
  if (isLoopback(config.host) || config.tlsCert !== undefined || config.allowInsecureHost) return undefined;
  return (
    `Others can reach ${config.host}, and without TLS every token would cross the network in the clear. ` +
    "Give --tls-cert and --tls-key, or --allow-insecure-host if something in front of this server speaks TLS."
  );
}
