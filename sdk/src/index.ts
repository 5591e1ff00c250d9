import createClient, { type Client, type Middleware } from "openapi-fetch";
import { errorOf, NoAnswerError } from "./errors.ts";
import { type Contact, type Fetch, patientFetch, type Patience, withKey } from "./patient-fetch.ts";
import type { components, paths } from "./schema.ts";
import { USER_AGENT } from "./user-agent.ts";

export { ApiError, NoAnswerError } from "./errors.ts";
export { type FollowOptions, followRun, type RunEvent } from "./follow-run.ts";
export { columnNames, Letters, outputsTogether } from "./output-columns.ts";
export { type Estimate, estimate, type Progress } from "./pace.ts";
export { type RunStatus, waitFor, type WaitOptions } from "./wait-for.ts";
/** The content of `reana.yaml` as JSON. */
export type Specification = components["schemas"]["Specification"];
/** Types of everything in the API, made from its OpenAPI document by `npm run generate`. */
export type { components, operations, paths } from "./schema.ts";

export interface ConnectOptions extends Patience {
  /** Address of the server, such as `http://127.0.0.1:7070`, without `/api`. */
  readonly url: string;
  /** The access token. Without a token, only public endpoints work. */
  readonly token?: string;
  /** Replacement for the global `fetch`, for a proxy or a custom certificate. */
  readonly fetch?: Fetch;
}

/** A typed client: `client.GET("/api/workflows", { params: … })` knows paths, parameters and responses. */
export interface RepriseClient extends Client<paths> {
  readonly url: string;
  /** Sends a request for bytes, or for a path without types. Returns only successful responses: any other is thrown. */
  send(path: string, init?: SendOptions): Promise<Response>;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes can be sent again if no response arrived, a stream only once. */
  readonly body?: Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal;
}

/** Returns a client whose calls return data or throw an `ApiError`. Nothing is sent before the first call. */
export function connect(options: ConnectOptions): RepriseClient {
  const url = options.url.replace(/\/+$/, "");
  const { fetch: given = (request: Request) => fetch(request), token } = options;
  const contact: Contact = { wasThere: false };
  // A server whose response breaks off was reachable as well.
  const once: Fetch = async (request) => {
    const response = await given(request);
    contact.wasThere = true;
    return response;
  };
  const patient = patientFetch((request) => once(request).then(wholeIfRefused), options, contact);
  const patientWhole = patientFetch((request) => once(request).then(whole), options, contact);
  const client = createClient<paths>({
    baseUrl: url,
    headers: ownHeaders(token),
    Request: KnownRequest,
    fetch: (request) =>
      (request instanceof KnownRequest && request.isStreamed ? once : patientWhole)(withKey(request)),
  });
  client.use(throwErrors(url));
  return Object.assign(client, {
    url,
    async send(path: string, init: SendOptions = {}): Promise<Response> {
      const isStream = init.body instanceof ReadableStream;
      const request = withKey(requestOf(url + path, init, token));
      const answer = (isStream ? once : patient)(request);
      const response = await answer.catch((error: unknown) => {
        throw init.signal?.aborted ? error : new NoAnswerError(url, error);
      });
      if (!response.ok) throw await errorOf(response);
      return response;
    },
  });
}

/**
 * A request that knows whether its body is a stream. A stream can be read only once: a copy for a second
 * attempt would hold all bytes in memory.
 */
class KnownRequest extends Request {
  readonly isStreamed: boolean;

  constructor(input: string | URL | Request, init?: RequestInit) {
    super(input, init);
    this.isStreamed = init?.body instanceof ReadableStream;
  }
}

function requestOf(address: string, { headers, ...init }: SendOptions, token: string | undefined): Request {
  // `fetch` requires this for a stream: the response is not read while the body is being sent.
  const duplex = init.body instanceof ReadableStream ? { duplex: "half" as const } : {};
  return new Request(address, { ...init, ...duplex, headers: { ...ownHeaders(token), ...headers } });
}

/** Returns the client's headers. The token is in a header, because URLs end up in the logs of proxies. */
function ownHeaders(token: string | undefined): Record<string, string> {
  return { ...USER_AGENT, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
}

/**
 * Reads a document to its end before returning the response, so that an interrupted response is requested
 * again.
 */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/**
 * Reads refusals completely, because they are documents. A successful response may be long, and the caller reads it.
 */
function wholeIfRefused(response: Response): Response | Promise<Response> {
  return response.ok ? response : whole(response);
}

function throwErrors(url: string): Middleware {
  return {
    async onResponse({ response }) {
      if (!response.ok) throw await errorOf(response);
    },
    onError({ error }) {
      return new NoAnswerError(url, error);
    },
  };
}
