import type { RequestOptions } from "node:http";
import { isIP } from "node:net";

/** Options of a request that connects to this address: a second look-up of the name could return another one. */
export function pinnedTo(address: string): Pick<RequestOptions, "lookup"> {
  const family = isIP(address);
  return {
    lookup: (_host, options, found) =>
      options.all ? found(null, [{ address, family }]) : found(null, address, family),
  };
}
