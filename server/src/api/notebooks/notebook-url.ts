import type { FastifyRequest } from "fastify";
import type { NotebookOrigin } from "#api/http/endpoint";

/** Returns the address that opens a notebook in a browser, with the host name of this request. */
export function notebookUrl(
  { notebookOrigin }: { readonly notebookOrigin: () => NotebookOrigin },
  request: FastifyRequest,
  path: string,
  secret: string,
): string {
  const { port, url } = notebookOrigin();
  const origin = url?.replace(/\/$/, "") ?? `${request.protocol}://${hostname(request)}:${port}`;
  return `${origin}${path}/?token=${secret}`;
}

function hostname({ raw }: FastifyRequest): string {
  return (raw.headers.host ?? "localhost").replace(/:\d*$/, "");
}
