import type { request } from "node:http";

/**
 * Returns the function that sends a request to this address, over http or https. Node's module for http is loaded here,
 * when it is needed: importing it loads a whole client beside it, which is a tenth of the time of a short command.
 */
export async function loadRequest({ protocol }: URL): Promise<typeof request> {
  const http = protocol === "https:" ? await import("node:https") : await import("node:http");
  return http.request;
}
