import createClient, { type Client, type Middleware } from "openapi-fetch";
import { errorOf, NoAnswerError } from "./errors.ts";
import { type Contact, type Fetch, patientFetch, type Patience, withKey } from "./patient-fetch.ts";
import type { components, paths } from "./schema.ts";
import { USER_AGENT } from "./user-agent.ts";

export { ApiError, NoAnswerError } from "./errors.ts";
export { type FollowOptions, followRun, type RunEvent } from "./follow-run.ts";
export { type RunStatus, waitFor, type WaitOptions } from "./wait-for.ts";
/** reana.yaml as JSON. */
export type Specification = components["schemas"]["Specification"];
/** Types of everything in the API, made from its OpenAPI document by `npm run generate`. */
export type { components, operations, paths } from "./schema.ts";

export interface ConnectOptions extends Patience {
  /** Where the server is: `http://127.0.0.1:7070`, without `/api`. */
  readonly url: string;
  /** The access token; without one only what is open to anyone can be asked. */
  readonly token?: string;
  /** Instead of the global `fetch`: for a proxy, or a certificate of one's own. */
  readonly fetch?: Fetch;
}

/** `client.GET("/api/workflows", { params: … })`: paths, parameters and answers are typed. */
export interface RepriseClient extends Client<paths> {
  readonly url: string;
  /** For bytes, and for what has no typed path. The answer is a success: anything else is thrown. */
  send(path: string, init?: SendOptions): Promise<Response>;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes can be sent again when no answer came, a stream only once. */
  readonly body?: Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal;
}

/** A client whose calls answer with data or throw an `ApiError`. Nothing is sent before the first call. */
export function connect(options: ConnectOptions): RepriseClient {
  const url = options.url.replace(/\/+$/, "");
  const { fetch: given = (request: Request) => fetch(request), token } = options;
  const contact: Contact = { wasThere: false };
  // Whose answer breaks off in its middle is there, too.
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

/** Knows whether its body can be read only once: a copy for another try would keep all of it in memory. */
class KnownRequest extends Request {
  readonly isStreamed: boolean;

  constructor(input: string | URL | Request, init?: RequestInit) {
    super(input, init);
    this.isStreamed = init?.body instanceof ReadableStream;
  }
}

function requestOf(address: string, { headers, ...init }: SendOptions, token: string | undefined): Request {
  // Whoever sends a stream has to say that the answer is not read meanwhile.
  const duplex = init.body instanceof ReadableStream ? { duplex: "half" as const } : {};
  return new Request(address, { ...init, ...duplex, headers: { ...ownHeaders(token), ...headers } });
}

/** The token goes in a header: addresses end up in the logs of proxies. */
function ownHeaders(token: string | undefined): Record<string, string> {
  return { ...USER_AGENT, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
}

/** Documents are read to their end before they count as an answer: one that breaks off in the middle is asked for again. */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/** A refusal is a document; what is fetched may be long, and is read by whoever asked for it. */
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
