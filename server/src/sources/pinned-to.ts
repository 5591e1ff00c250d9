import type { RequestOptions } from "node:http";
import { isIP } from "node:net";

/**
 * Request options that connect to this address: a second look-up of the name could return a different
 * address.
 */
export function pinnedTo(address: string): Pick<RequestOptions, "lookup"> {
  const family = isIP(address);
  return {
    lookup: (_host, options, found) =>
      options.all ? found(null, [{ address, family }]) : found(null, address, family),
  };
}
