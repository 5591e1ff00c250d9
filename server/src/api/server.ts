import { readFileSync } from "node:fs";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { accessLog } from "#api/http/observe/access-log";
import { addRoute } from "#api/http/add-route";
import { allowedMethods } from "#api/http/allowed-methods";
import { acceptAnyContentType, readBodies } from "#api/http/request/bodies";
import { rejectConnectAndExpect, clientErrorHandler } from "#api/http/reply/client-errors";
import { setConnectionTimeouts, SILENCE_TIMEOUT_MS } from "#api/http/connections";
import { errorHandler } from "#api/http/reply/error-replies";
import { hostCheck, hostnameOf } from "#api/http/access/host-check";
import { ownAddressRedirect } from "#api/http/access/own-address";
import { forgetLeftoverBody } from "#api/http/request/leftover-bodies";
import { notFoundHandler } from "#api/http/reply/not-found";
import { OpenStreams } from "#api/http/open-streams";
import { RequestMeter } from "#api/http/observe/request-meter";
import type { ApiContext, DocsPage, NotebookOrigin, Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";
import { hashOf } from "#api/service/metrics";
import { addNotebookLink } from "#api/notebooks/notebook-link";
import { addWebPage } from "#api/service/web-page/web-page";
import { refusalOf, validatorCompiler } from "#api/http/validation";
import type { Operations } from "#operations/operations";
import type { AuditLog } from "#plumbing/audit-log";
import type { Log } from "#plumbing/log";
import { isLoopback } from "#plumbing/loopback";
import { processMeter } from "#plumbing/metrics/process-metrics";

export interface ServerOptions {
  readonly operations: Operations;
  readonly log: Log;
  readonly version: string;
  /** If absent, changes are not recorded. */
  readonly audit?: AuditLog | undefined;
  /** If absent, the server has no notebooks. */
  readonly notebookOrigin?: () => NotebookOrigin;
  readonly config: ServerConfig;
  /** Routes that replace the table, for tests of the machinery itself. */
  readonly routes?: readonly Route[];
}

/** HTTP settings of a server. */
export interface ServerConfig {
  readonly host: string;
  /** Maximum size of a JSON body. Uploads are not limited by it. */
  readonly maxJsonBytes: number;
  /** Maximum number of open streams (events, logs) per user. */
  readonly maxStreamsPerUser: number;
  /**
   * Maximum time that a client may stop reading before its stream is closed. Set by tests to avoid waiting
   * for minutes.
   */
  readonly silenceTimeoutMs?: number;
  /** Readers of the metrics. Defaults to the administrator alone. */
  readonly metricsFor?: "admin" | "anyone" | undefined;
  /** Secret with which a program sets quotas. */
  readonly quotaSecret?: string | undefined;
  /** Token that can only read the metrics. */
  readonly metricsToken?: string | undefined;
  /** PEM files. Optional: the default is plain HTTP. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  /** True if REANA's web page may sign users in. */
  readonly reanaUi?: boolean | undefined;
  /** Address at which users reach the server through a proxy. */
  readonly publicUrl?: string | undefined;
  /** Settings different from their defaults, for the administrator. Never contains a secret. */
  readonly changedSettings?: Readonly<Record<string, string>> | undefined;
  /** Folder of the built web page. Absent if the server has no page. */
  readonly pageFolder?: string | undefined;
}

/** Maximum length of a parameter in an address; file paths are parameters. */
const MAX_PARAM_LENGTH = 8192;

/** Builds the HTTP server, which does not listen yet. Closing it waits for open requests, up to a deadline. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { log, operations, config, routes = ROUTES } = options;
  const handleError = errorHandler(log);
  const requests = new RequestMeter();
  const logAccess = accessLog(log, operations.clock, requests);
  const methods = allowedMethods(routes);
  const app = fastify({
    ...listenerOptions(config),
    clientErrorHandler: clientErrorHandler(log, methods),
    frameworkErrors: (error, request, reply) => {
      logAccess(request, reply);
      forbidSniffing(reply);
      handleError(error, request, reply);
    },
    genReqId: requestIds(operations),
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
  }) as unknown as FastifyInstance;
  setConnectionTimeouts(app);
  rejectConnectAndExpect(app.server, methods);
  app.setErrorHandler(handleError);
  app.setValidatorCompiler(validatorCompiler());
  app.setSchemaErrorFormatter(refusalOf);
  app.decorateRequest("caller", undefined);
  app.decorateRequest("scope", undefined);
  app.decorateRequest("subject", undefined);
  app.decorateRequest("row", undefined);
  app.decorateRequest("isStream", false);
  readBodies(app, config.maxJsonBytes);
  const checkHost = hostCheck(allowedHosts(options));
  const isRedirected = ownAddressRedirect(config);
  app.addHook("onRequest", (request, reply, done) => {
    logAccess(request, reply);
    forbidSniffing(reply);
    forgetLeftoverBody(request, reply);
    acceptAnyContentType(request);
    checkHost(request, reply, () => isRedirected(request, reply) || done());
  });
  const openStreams = new OpenStreams(config.maxStreamsPerUser);
  app.addHook("preClose", (done) => {
    openStreams.closeAll();
    done();
  });
  const context = apiContext(options, openStreams, requests);
  for (const route of routes) addRoute(app, route, context);
  addNotebookLink(app, context);
  app.setNotFoundHandler(notFoundHandler(methods, addWebPage(app, config.pageFolder)));
  return app;
}

/** Forbids browsers to take a reply for another type than it has. */
function forbidSniffing(reply: FastifyReply): void {
  reply.header("x-content-type-options", "nosniff");
}

function listenerOptions({ tlsCert, tlsKey }: ServerConfig) {
  // Node's own reply to a request without a host has no message: see `host-check.ts`.
  const http = { requireHostHeader: false };
  if (tlsCert === undefined || tlsKey === undefined) return { http };
  return { https: { ...http, cert: readFileSync(tlsCert), key: readFileSync(tlsKey) } };
}

/**
 * Allows every host with TLS, because a foreign name fails at the certificate, and beyond loopback, because the server
 * cannot know all its names there. On loopback a proxy of this machine may pass on the name of the public address.
 */
function allowedHosts({ config }: ServerOptions): (hostname: string) => boolean {
  if (config.tlsCert !== undefined || !isLoopback(config.host)) return () => true;
  const publicName = hostnameOf(config.publicUrl);
  return (hostname) => isLoopback(hostname) || hostname === publicName;
}

function apiContext(
  { operations, version, config, audit, notebookOrigin }: ServerOptions,
  openStreams: OpenStreams,
  requests: RequestMeter,
): ApiContext {
  let document: Promise<string> | undefined;
  let docs: Promise<DocsPage> | undefined;
  const makeDocument = async () => {
    const { openApiDocument } = await import("#api/openapi");
    return JSON.stringify(await openApiDocument());
  };
  const openApi = () => (document ??= makeDocument());
  const makeDocs = async () => {
    const { docsPage, DOCS_POLICY } = await import("#api/service/docs-page/page");
    const page = docsPage(JSON.parse(await openApi()) as object, version);
    return { page: Buffer.from(page), policy: DOCS_POLICY };
  };
  return {
    ...operations,
    version,
    openStreams,
    requests,
    audit,
    changedSettings: config.changedSettings ?? {},
    processMetrics: processMeter(),
    metricsReaders: {
      isOpen: config.metricsFor === "anyone",
      tokenHash: config.metricsToken === undefined ? undefined : hashOf(config.metricsToken),
    },
    quotaSecretHash: config.quotaSecret === undefined ? undefined : hashOf(config.quotaSecret),
    silenceTimeoutMs: config.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS,
    isForReanaPage: config.reanaUi ?? false,
    publicUrl: config.publicUrl?.replace(/\/+$/, ""),
    notebookOrigin: notebookOrigin ?? (() => ({ port: 0, url: undefined })),
    openApi,
    docs: () => (docs ??= makeDocs()),
  };
}

/** Returns a generator of request ids: short, different after a restart, for people to quote and to find in the log. */
function requestIds({ random }: Operations): () => string {
  const prefix = random.bytes(4).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
