import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Pages shown in place of a notebook. The pages are plain: no script, no style, and no text from the request.
 */

const POLICY = "default-src 'none'; frame-ancestors 'none'";

export const STARTING = {
  status: 503,
  title: "The notebook is starting",
  text: "This page tries again every two seconds.",
  headers: { "retry-after": "2", refresh: "2" },
} as const;

export const CLOSED = {
  status: 404,
  title: "No notebook is open here",
  text: "It was closed, or ended by itself. Open it again with `reprise notebook open`, `reana-client open` or on the page of the run. The dashboard of a Dask cluster closes with the cluster.",
} as const;

export const SIGN_IN = {
  status: 403,
  title: "This browser has not opened this notebook",
  text: "Use the address that `reprise notebook open`, `reana-client open` or the page of the run shows.",
} as const;

export const FOREIGN_PAGE = {
  status: 403,
  title: "Another page has sent this request",
  text: "Only the notebook's own page may use it.",
} as const;

export const ELSEWHERE = {
  status: 421,
  title: "This notebook is on another host",
  text: "Its address is that of the server on which it was opened.",
} as const;

export const TWO_HOSTS = {
  status: 400,
  title: "The request has two Host headers",
  text: "Send one.",
} as const;

export const UNKNOWN_HOST = {
  status: 421,
  title: "This server does not serve this host name",
  text: "It listens on this machine only. Use localhost or 127.0.0.1.",
} as const;

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function show(response: ServerResponse, { status, title, text, headers }: Page): void {
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    })
    .end(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`);
}

/** Refuses a request to speak the protocol of WebSockets. */
export function refuseUpgrade(request: IncomingMessage, { status, title }: Page): void {
  request.socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: text/plain\r\nx-content-type-options: nosniff\r\n\r\n${title}\n`,
  );
}
