import type { request } from "node:http";

/**
 * Returns the function that sends a request over http or https, by the protocol of a URL. Node's module for http is
 * loaded on demand: importing it also loads a whole client, a tenth of the time of a short command.
 */
export async function loadRequest(protocol: string): Promise<typeof request> {
  const http = protocol === "https:" ? await import("node:https") : await import("node:http");
  return http.request;
}
