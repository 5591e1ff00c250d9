import type { FastifyRequest } from "fastify";

/** Returns whether a browser opens the address as a page. Clients of the API do not accept HTML. */
export function opensPage({ method, url, headers }: FastifyRequest): boolean {
  const isPage = (method === "GET" || method === "HEAD") && !/^\/(api|assets)(\/|\?|$)/.test(url);
  return isPage && (headers.accept ?? "").includes("text/html");
}
