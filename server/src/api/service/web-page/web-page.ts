import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { NOTEBOOK_LINK } from "#api/notebooks/notebook-link";
import { sendError } from "#api/http/reply/error-replies";
import { opensPage } from "#api/http/request/opens-page";
import { addLauncherBadge, LAUNCHER_BADGE } from "#api/service/web-page/launcher-badge";
import { type PageFile, readPageFiles } from "#api/service/web-page/page-files";

/**
 * The addresses at which the server shows its page. They are not endpoints and need no credentials, because
 * the page is the same for all users, and requests all data from the API.
 */
const PAGE_ADDRESSES = [
  "/",
  "/sign-in",
  "/sign-in/:provider",
  "/new",
  "/runs",
  "/runs/*",
  // REANA's addresses, used in links of READMEs and messages.
  "/launch",
  "/details/:run",
  "/workflows/:run",
  "/compare",
  "/origin",
  "/account",
  "/admin",
  "/admin/*",
  "/shadows",
] as const;

const SIGN_IN = "/sign-in";
/** Query parameter that makes the page ask the user first. */
const CONFIRM = "confirm";

const FILE_ADDRESSES = ["/assets/*", "/favicon.svg"] as const;

/** All addresses that a browser opens, for the test that no other route responds. */
export const WEB_PAGE_ADDRESSES: readonly string[] = [
  ...PAGE_ADDRESSES,
  ...FILE_ADDRESSES,
  LAUNCHER_BADGE,
  NOTEBOOK_LINK,
];

/**
 * The page loads only from this server: no script or style in the document itself, no other host, no frame
 * around the page. Pictures and documents of a workspace are shown in place, without the right to run
 * scripts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Adds the page, if it is built. Its files are looked up when it is first opened. Returns a function that
 * sends the page to a browser at an unknown address.
 */
export function addWebPage(app: FastifyInstance, folder: string | undefined): NotHerePage {
  let files: ReadonlyMap<string, PageFile> | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    // The page may be built, or built again, while the server runs.
    if (files?.get(name) === undefined) files = await readPageFiles(folder);
    const file = files?.get(name);
    if (file) return send(request, reply, file);
    const message = files ? "The page has no such file. Reload the page." : NOT_BUILT;
    return sendError(reply, { status: 404, message });
  };
  addLauncherBadge(app);
  for (const url of PAGE_ADDRESSES) {
    app.get(url, (request, reply) =>
      needsConfirmation(request) ? askToConfirm(request, reply) : serve(request, reply, "index.html"),
    );
  }
  for (const url of FILE_ADDRESSES) {
    app.get(url, (request, reply) => serve(request, reply, fileName(request)));
  }
  return async (request, reply) => {
    if (!opensPage(request)) return undefined;
    files ??= await readPageFiles(folder);
    const file = files?.get("index.html");
    return file && send(request, reply.status(404), file);
  };
}

/**
 * Sends the page, which reports an unknown address. Returns undefined for a request that does not get the
 * page.
 */
export type NotHerePage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/**
 * Returns whether the page has to ask before it uses a sign-in code in its address. A link on another page
 * could otherwise sign the browser in as the owner of the other page, who then receives the user's uploads. A
 * browser signs in at once only if it reports that its user opened the address; no browser does so over plain
 * HTTP from another machine.
 */
function needsConfirmation({ raw, routeOptions, query }: FastifyRequest): boolean {
  const site = raw.headers["sec-fetch-site"];
  if (routeOptions.url !== SIGN_IN || site === "none" || site === "same-origin") return false;
  return !Object.hasOwn(query as object, CONFIRM);
}

/** Sends the browser to the same page with a mark. The browser keeps the code, which is in the fragment. */
function askToConfirm({ raw }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const given = (raw.url ?? "").split("?").slice(1).join("?");
  return reply
    .header("cache-control", "no-store")
    .redirect(`${SIGN_IN}?${given && `${given}&`}${CONFIRM}=1`, 302);
}

const NOT_BUILT =
  "The web page of this checkout is not built. `npm start` builds it; the API is described at /api/docs.";

function fileName(request: FastifyRequest): string {
  return request.url.split("?", 1)[0]!.slice(1);
}

async function send(request: FastifyRequest, reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
  const form = acceptsGzip(request) ? "gzip" : "plain";
  if (form === "gzip") reply.header("content-encoding", form);
  reply
    .type(file.type)
    .header("vary", "accept-encoding")
    .header("cache-control", file.isHashed ? "public, max-age=31536000, immutable" : "no-cache")
    .header("content-security-policy", POLICY)
    .header("cross-origin-opener-policy", "same-origin")
    .header("cross-origin-resource-policy", "same-origin")
    .header("referrer-policy", "no-referrer");
  return reply.send(await file.read(form));
}

function acceptsGzip({ raw }: FastifyRequest): boolean {
  const accepted = (raw.headers["accept-encoding"] ?? "").split(",");
  return accepted.some((one) => one.trim().split(";", 1)[0] === "gzip");
}
