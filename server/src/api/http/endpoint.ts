import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { OpenStreams } from "#api/http/open-streams";
import type { RequestMeter } from "#api/http/observe/request-meter";
import type { Caller } from "#operations/context";
import type { Operations } from "#operations/operations";
import type { Keyed } from "#operations/idempotency";
import type { AuditLog } from "#plumbing/audit-log";
import type { RefusalKind } from "#plumbing/errors";
import type { TokenScope } from "#workflow/people/token-scope";
import type { Metric } from "#plumbing/metrics/exposition";

/**
 * Shape of an endpoint. `routes.ts` is the table of all endpoints, with their methods and paths. Everything
 * but the handler is data: the server derives credentials, checks, serialisers and the document from the
 * data, so an endpoint cannot omit a check.
 */

declare module "fastify" {
  interface FastifyContextConfig {
    /** Matched row of the table. Absent if no row matched. */
    readonly route?: Route;
  }
  interface FastifyRequest {
    /** Set after the credentials were checked. */
    caller: Caller | undefined;
    /** Scope of the caller's token or session. Set with `caller`. */
    scope: TokenScope | undefined;
    /** Subject of the change, for the access log. Never contains a token. */
    subject: Readonly<Record<string, string>> | undefined;
    /**
     * The row that handles the request, for the access log. Absent until the handler is called: before that,
     * `routeOptions` has the row, but `routeOptions` is rebuilt at each access.
     */
    row: Route | undefined;
    /** True if the reply is a stream, which lasts until its client stops reading. */
    isStream: boolean;
  }
}

/** Users who may call an endpoint. `user`: any active user. `admin`: the administrator alone. */
export type Access = "anyone" | "user" | "admin";

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "PATCH";

export interface EndpointSchema {
  /** Excludes `access_token`, which every endpoint takes. */
  readonly querystring?: TObject;
  /** A text for each `{name}` in the path. */
  readonly params?: TObject;
  /** JSON body. Without this schema a body is ignored, or passed on unparsed with `upload`. */
  readonly body?: TSchema;
  /**
   * Replies by status. The first success is the status of the reply, unless the handler sets another. A reply with a
   * status in this record is serialised by its schema: keys that the schema does not name are left out.
   */
  readonly response: Readonly<Record<number, TSchema>>;
}

/** Dependencies of endpoints: the context of the operations, and what only HTTP needs. */
export interface ApiContext extends Operations, Keyed {
  readonly version: string;
  readonly openStreams: OpenStreams;
  /** The time for which a client may stop reading before its stream is closed. */
  readonly silenceTimeoutMs: number;
  /** Returns the document of this API, as JSON text. */
  openApi(): Promise<string>;
  /** Request counters since the server's start. */
  readonly requests: RequestMeter;
  /** Absent if the audit log is off. */
  readonly audit: AuditLog | undefined;
  /** Settings different from their defaults, as texts. A secret is only reported as set. */
  readonly changedSettings: Readonly<Record<string, string>>;
  /** Measures this process, since the last call where a metric has no total. */
  readonly processMetrics: () => readonly Metric[];
  readonly metricsReaders: MetricsReaders;
  /** SHA-256 of the secret with which a program sets quotas. Undefined if no program may set quotas. */
  readonly quotaSecretHash: Buffer | undefined;
  readonly notebookOrigin: () => NotebookOrigin;
  /** Address at which users reach the server, if set by the administrator. Without a trailing slash. */
  readonly publicUrl: string | undefined;
  /** True if REANA's web page may sign users in, with a session that is a cookie alone. */
  readonly isForReanaPage: boolean;
  /** Returns the document as a page to read. */
  docs(): Promise<DocsPage>;
}

/** The origin at which browsers reach notebooks. */
export interface NotebookOrigin {
  /** Local port. */
  readonly port: number;
  /** Address that the administrator has set, for a server behind a proxy. */
  readonly url: string | undefined;
}

/** Readers of the metrics besides the administrator. */
export interface MetricsReaders {
  readonly isOpen: boolean;
  /** SHA-256 of the token that can only read metrics. */
  readonly tokenHash: Buffer | undefined;
}

export interface DocsPage {
  readonly page: Buffer;
  /** Content security policy of the page. */
  readonly policy: string;
}

type Part<Schema, Key extends string> =
  Schema extends Readonly<Record<Key, infer Type extends TSchema>> ? Static<Type> : unknown;

/** Fastify's request with the types of the endpoint's schemas, and the caller. */
export type EndpointRequest<Schema extends EndpointSchema, Who extends Access> = FastifyRequest<{
  Querystring: Part<Schema, "querystring">;
  Params: Part<Schema, "params">;
  /** An empty body is undefined. With `upload` the body is a `Readable`: `uploadOf(request)`. */
  Body: Schema extends { readonly body: TSchema } ? Part<Schema, "body"> | undefined : unknown;
}> & { readonly caller: Who extends "anyone" ? undefined : Caller };

type Replies<Schema extends EndpointSchema> = {
  [Status in keyof Schema["response"]]: Schema["response"][Status] extends TSchema
    ? Static<Schema["response"][Status]>
    : never;
}[keyof Schema["response"]];

/** Value to serialise, or `reply` itself after a stream or bytes were passed to `reply.send`. */
export type EndpointResult<Schema extends EndpointSchema> = Replies<Schema> | FastifyReply;

/** Declaration of an endpoint, without its handler. */
interface Declaration<Schema extends EndpointSchema, Who extends Access> {
  /** Name in the document: `get-status`. */
  readonly operation: string;
  /** A summary for the document, in one line. */
  readonly summary: string;
  readonly access: Who;
  /**
   * Returns whether a request is allowed without a user, by its token, a header, or without any condition.
   * Any other request is checked against `access`, unless the function throws a refusal.
   */
  readonly admits?: (context: ApiContext, token: string | undefined, headers: IncomingHttpHeaders) => boolean;
  readonly schema: Schema;
  /** True if the body comes as a stream, with any content type or none, of any length. */
  readonly upload?: boolean;
  /**
   * Contents of a form, for the document. A body that is a form comes as a stream, `maybeFormOf(request)`. Any other
   * body is JSON, or bytes with `upload`.
   */
  readonly form?: TObject;
  /** True if a browser may send the body as a form, `name=value&…`. The fields of a form are read like fields of JSON. */
  readonly takesUrlForm?: boolean;
  /** True if the body must not be kept in any form, not even as a hash. */
  readonly hidesBody?: boolean;
  /**
   * Status of a refusal where it differs from the usual one. Generated clients of REANA show the message of a refusal
   * only if REANA's own document declares the status for the operation.
   */
  readonly statusOf?: Partial<Readonly<Record<RefusalKind, number>>>;
  /** Status of the usual reply, if it is not the first success in the schema. */
  readonly usualStatus?: number;
  /** Success statuses left out of the OpenAPI document, because only GitLab gets them. */
  readonly undocumented?: readonly number[];
  /** True if a GitLab webhook may call the endpoint. GitLab sends its token in a separate header. */
  readonly takesGitlabToken?: boolean;
  /**
   * True if a browser follows addresses of the endpoint by itself, for downloads and pictures. The page signs such an
   * address, because it can add no header: see `access/page-proof.ts`.
   */
  readonly takesSignature?: boolean;
  /** True if the endpoint works even if the server's disk is full, because it stores next to nothing or frees space. */
  readonly worksOnFullDisk?: boolean;
  /**
   * True if REANA's web page uses the endpoint, although a token needs the scope `everything` for it. A session of
   * REANA's page is refused by the other endpoints with this scope.
   */
  readonly isOfReanaPage?: boolean;
  /** Scope that a token needs, if different from the rule of `access/scope.ts`. */
  readonly scope?: TokenScope;
  /**
   * True if a request is read-only, although its method is not GET. The audit log omits read-only requests.
   */
  readonly changesNothing?: boolean;
  /** True if the reply shows tokens. Each request is then recorded in the audit log. */
  readonly showsTokens?: boolean;
  /** Required query parameters. The operation refuses their absence with a sentence and a status of its own. */
  readonly needs?: readonly string[];
  /** True if it refuses a request without a body. */
  readonly needsBody?: boolean;
  /** JSON body for the document, if the operation itself checks the body. */
  readonly documentedBody?: TSchema;
  /**
   * Statuses of the endpoint's own refusals. `refusals.ts` adds the statuses of the common request checks.
   */
  readonly refuses?: readonly number[];
  /** Content types of the reply, if it is not JSON. */
  readonly produces?: readonly string[];
  /** Another shape of the successful reply, which the handler may send as a stream: documented, not serialised. */
  readonly streamed?: TSchema;
}

interface Definition<Schema extends EndpointSchema, Who extends Access, Result> extends Declaration<
  Schema,
  Who
> {
  handle(
    context: ApiContext,
    request: EndpointRequest<Schema, Who>,
    reply: FastifyReply,
  ): Promise<Result> | Result;
}

/** `handle` returns the reply. */
type EndpointDefinition<Schema extends EndpointSchema, Who extends Access> = Definition<
  Schema,
  Who,
  EndpointResult<Schema>
>;

/** `handle` returns the result of the operation, which is stored as JSON if the request has an idempotency key. */
interface ChangeDefinition<Schema extends EndpointSchema, Who extends Access, Result> extends Definition<
  Schema,
  Who,
  Result
> {
  /** Maps the result to the wire: for the first request, and for each repetition from the stored result. */
  toWire(result: Result, request: EndpointRequest<Schema, Who>, reply: FastifyReply): Replies<Schema>;
}

/** Endpoint as the table sees it. */
export interface Endpoint extends Declaration<EndpointSchema, Access> {
  handle(context: ApiContext, request: FastifyRequest, reply: FastifyReply): unknown;
  /** If absent, the handler returns the reply itself. */
  toWire?(result: unknown, request: FastifyRequest, reply: FastifyReply): unknown;
}

/** An endpoint with its method and path. */
export interface Route extends Endpoint {
  readonly method: Method;
  /** Such as `/api/workflows/{workflow_id_or_name}/status`. `{name*}` at the end takes the rest, including slashes. */
  readonly path: string;
}

/** Row in the format of `routes.ts`. */
export type Row = readonly [method: Method, path: string, endpoint: Endpoint];

export function routesOf(table: readonly Row[]): readonly Route[] {
  return table.map(([method, path, one]) => ({ method, path, ...one, schema: closedSchema(one.schema) }));
}

/**
 * Returns the schema with a body that refuses unknown fields: a misspelt `workspace` must not leave the default in
 * force. A body that declares `additionalProperties` itself stays as it is.
 */
function closedSchema(schema: EndpointSchema): EndpointSchema {
  const { body } = schema;
  if (body === undefined || !("properties" in body) || "additionalProperties" in body) return schema;
  return { ...schema, body: { ...body, additionalProperties: false } };
}

/** Returns the endpoint, with a handler typed by its own schemas. */
export function endpoint<const Schema extends EndpointSchema, const Who extends Access>(
  definition: EndpointDefinition<Schema, Who>,
): Endpoint {
  // The server calls a handler only after checking the request against the handler's schemas and access.
  return definition;
}

/** Returns an endpoint that stores its result in the transaction of its change (`changing`). */
export function change<const Schema extends EndpointSchema, const Who extends Access, Result>(
  definition: ChangeDefinition<Schema, Who, Result>,
): Endpoint {
  return definition;
}

/**
 * Returns the body of a request to an endpoint with `upload`. The parser skips an empty body: the raw one is returned.
 */
export function uploadOf(request: Pick<FastifyRequest, "body" | "raw">): Readable {
  return (request.body as Readable | undefined) ?? request.raw;
}

/** Returns the form that was sent to an endpoint with `form`, or undefined if the body was JSON or absent. */
export function maybeFormOf(request: Pick<FastifyRequest, "body">): Readable | undefined {
  return request.body instanceof Readable ? request.body : undefined;
}
