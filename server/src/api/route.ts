import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { OpenStreams } from "#api/open-streams";
import type { Caller, Operations } from "#operations/context";
import type { RefusalKind } from "#plumbing/errors";

/**
 * The shape of an endpoint. One file per endpoint, named by its operation; `routes.ts` is the table of all of them.
 * Everything about an endpoint that is not its work is data: the server attaches credentials, checks, serialisers and
 * the document from it, so that no endpoint can forget one.
 */

declare module "fastify" {
  interface FastifyContextConfig {
    /** The row of the table that a route was made of; absent where no row matched. */
    readonly endpoint?: Endpoint;
  }
  interface FastifyRequest {
    /** Set once the credentials were checked. */
    caller: Caller | undefined;
    /** What was changed, for the line in the log. Never a token. */
    subject: Readonly<Record<string, string>> | undefined;
  }
}

/** `user`: any active user. `admin`: the administrator alone. */
export type Access = "anyone" | "user" | "admin";

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "PATCH";

export interface EndpointSchema {
  /** Without `access_token`, which every endpoint takes. */
  readonly querystring?: TObject;
  /** One text for each `{name}` of the path. */
  readonly params?: TObject;
  /** JSON. Without it a body is ignored, or handed over as it comes with `upload`. */
  readonly body?: TSchema;
  /**
   * By status. The first success is the status of the reply, unless the handler sets another. Replies of a status
   * that stands here are serialised by its schema: keys that it does not name are left out.
   */
  readonly response: Readonly<Record<number, TSchema>>;
}

/** What endpoints work with: the operations' context, and what only HTTP needs. */
export interface ApiContext extends Operations {
  readonly version: string;
  readonly openStreams: OpenStreams;
  /** How long who is sent something may take nothing of it. */
  readonly silenceTimeoutMs: number;
  /** The document of this API, as JSON text. */
  openApi(): Promise<string>;
  /** The same to read. */
  docs(): Promise<DocsPage>;
}

export interface DocsPage {
  readonly page: Buffer;
  /** What a browser may do with it. */
  readonly policy: string;
}

type Part<Schema, Key extends string> =
  Schema extends Readonly<Record<Key, infer Type extends TSchema>> ? Static<Type> : unknown;

/** Fastify's request with the types of the endpoint's schemas, and who is asking. */
export type EndpointRequest<Schema extends EndpointSchema, Who extends Access> = FastifyRequest<{
  Querystring: Part<Schema, "querystring">;
  Params: Part<Schema, "params">;
  /** An empty body is no body. With `upload` it is a `Readable`: `uploadOf(request)`. */
  Body: Schema extends { readonly body: TSchema } ? Part<Schema, "body"> | undefined : unknown;
}> & { readonly caller: Who extends "anyone" ? undefined : Caller };

type Replies<Schema extends EndpointSchema> = {
  [Status in keyof Schema["response"]]: Schema["response"][Status] extends TSchema
    ? Static<Schema["response"][Status]>
    : never;
}[keyof Schema["response"]];

/** A value to be serialised, or `reply` itself once something (a stream, bytes) was given to `reply.send`. */
export type EndpointResult<Schema extends EndpointSchema> = Replies<Schema> | FastifyReply;

export interface EndpointDefinition<Schema extends EndpointSchema, Who extends Access> {
  readonly method: Method;
  /** `/api/workflows/{workflow_id_or_name}/status`; `{name*}` at the end takes the rest of the path, slashes and all. */
  readonly path: string;
  /** The name of the operation and of the file: `get-status`. */
  readonly operation: string;
  /** One line for the document. */
  readonly summary: string;
  readonly access: Who;
  readonly schema: Schema;
  /** The body comes as a stream, under any content type or none, of any length. */
  readonly upload?: boolean;
  /**
   * A body that is a form comes as a stream, `maybeFormOf(request)`: what it holds, for the document. Any other is JSON, or
   * bytes with `upload`.
   */
  readonly form?: TObject;
  /** The body is not kept in any form, not even as a hash. */
  readonly hidesBody?: boolean;
  /**
   * The status of a refusal where it differs from the usual one. Generated clients of REANA show the message of a refusal
   * only if REANA's own document declares the status for the operation.
   */
  readonly statusOf?: Partial<Readonly<Record<RefusalKind, number>>>;
  /** It stores next to nothing, or frees space: carried out although the server's disk is full. */
  readonly worksOnFullDisk?: boolean;
  /** Query parameters that it needs, and whose absence its operation refuses in a sentence and with a status of its own. */
  readonly needs?: readonly string[];
  /** Without a body it refuses. */
  readonly needsBody?: boolean;
  /** The JSON body as the document shows it, where the operation itself checks it. */
  readonly documentedBody?: TSchema;
  /** The statuses of its own refusals; `refusals.ts` adds those that the machinery can send before it. */
  readonly refuses?: readonly number[];
  /** The content types of the reply, when it is not JSON. */
  readonly produces?: readonly string[];
  /** Another shape of the successful reply that the handler may send as a stream: documented, not serialised. */
  readonly streamed?: TSchema;
  handle(
    context: ApiContext,
    request: EndpointRequest<Schema, Who>,
    reply: FastifyReply,
  ): Promise<EndpointResult<Schema>> | EndpointResult<Schema>;
}

/** An endpoint as the table and the server see it. */
export interface Endpoint extends Omit<EndpointDefinition<EndpointSchema, Access>, "handle"> {
  handle(context: ApiContext, request: FastifyRequest, reply: FastifyReply): unknown;
}

/** Gives the handler the types of its own schemas. */
export function endpoint<const Schema extends EndpointSchema, const Who extends Access>(
  definition: EndpointDefinition<Schema, Who>,
): Endpoint {
  // The server hands a handler only requests that its own schemas and access let through.
  return definition;
}

/** The body of a request to an endpoint with `upload`. An empty one never reaches the parser: it is empty as it is. */
export function uploadOf(request: Pick<FastifyRequest, "body" | "raw">): Readable {
  return (request.body as Readable | undefined) ?? request.raw;
}

/** The form that an endpoint with `form` was sent; nothing when it was JSON, or nothing. */
export function maybeFormOf(request: Pick<FastifyRequest, "body">): Readable | undefined {
  return request.body instanceof Readable ? request.body : undefined;
}
