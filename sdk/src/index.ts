import createClient, { type Client, type Middleware } from "openapi-fetch";
import type { paths } from "./schema.ts";

/** Types of everything in the API, made from its OpenAPI document by `npm run generate`. */
export type { components, operations, paths } from "./schema.ts";

export interface ConnectOptions {
  /** Where the server is: `http://127.0.0.1:7070`, without `/api`. */
  readonly url: string;
  /** The access token; without one only what is open to anyone can be asked. */
  readonly token?: string;
  /** Instead of the global `fetch`: for a proxy, or a certificate of one's own. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** `client.GET("/api/workflows", { params: … })`: paths, parameters and answers are typed. */
export type RepriseClient = Client<paths>;

/** An answer that is no success, or none at all. The message is the server's sentence. */
export class ApiError extends Error {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ApiError";
    this.status = status;
  }
}

/** A client whose calls answer with data or throw an `ApiError`. Nothing is sent before the first call. */
export function connect(options: ConnectOptions): RepriseClient {
  const client = createClient<paths>({
    baseUrl: options.url.replace(/\/+$/, ""),
    // In a header: addresses end up in the logs of whatever stands between.
    ...(options.token !== undefined && { headers: { authorization: `Bearer ${options.token}` } }),
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });
  client.use(throwErrors(options.url));
  return client;
}

function throwErrors(url: string): Middleware {
  return {
    async onResponse({ response }) {
      if (!response.ok) throw new ApiError(response.status, await messageOf(response));
    },
    onError({ error }) {
      return new ApiError(0, `${url} could not be reached: ${reasonOf(error)}`, { cause: error });
    },
  };
}

/** Our server says `{"message"}`; what stands between may say anything. */
async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  return sentenceIn(text) ?? `The server answered ${response.status} ${response.statusText}`.trimEnd();
}

function sentenceIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** `fetch` says "fetch failed"; the reason stands in the cause, which may itself hold one for each address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  return first instanceof Error ? first.message : String(first);
}
