import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import type { RequestOptions as HttpsOptions } from "node:https";
import process from "node:process";
import { BackendAwayError } from "#backends/backend";
import { type ApiStatus, errorOf, UnauthorizedError } from "#backends/kubernetes/api/api-error";
import type { Connection } from "#backends/kubernetes/api/connection";
import { codeOf, messageOf } from "#plumbing/errors";

/** A call of the API. */
export interface ApiCall {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path and the query. */
  readonly path: string;
  readonly body?: object;
  /** The purpose of the call, for sentences: `creating the Pod reprise-1`. */
  readonly does: string;
}

export interface ApiClientOptions {
  readonly connection: Connection;
  /** Time limit of a call. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
/** Calls of one server that are under way at once. Kubernetes calls a client unfair that has more. */
const CALLS_MAX = 16;
/** Limit on an answer. A page of a listing has 500 Pods of a few kilobytes. */
const ANSWER_MAX_BYTES = 64 * 2 ** 20;

/** Calls the API server of a cluster. */
export class ApiClient {
  readonly connection: Connection;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  constructor({ connection, timeoutMs = TIMEOUT_MS }: ApiClientOptions) {
    this.connection = connection;
    this.#timeoutMs = timeoutMs;
    const module = moduleFor(connection.server);
    this.#agent = new module.Agent({ keepAlive: true, maxSockets: CALLS_MAX });
  }

  /**
   * Returns the object with which the API server answers. Throws a `BackendAwayError` if it is unknown whether the call
   * was carried out, and an `ApiRefusal` if it was refused.
   */
  async call<Answer>(call: ApiCall): Promise<Answer> {
    try {
      return await this.#once<Answer>(call);
    } catch (error) {
      const { forget } = this.connection;
      if (!(error instanceof UnauthorizedError) || !forget) throw error;
      // The credentials may have expired a moment ago.
      forget();
      return this.#once<Answer>(call);
    }
  }

  async #once<Answer>(call: ApiCall): Promise<Answer> {
    const response = await this.open(call, this.#timeoutMs);
    const text = await textOf(response, call, this.#timeoutMs);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return parsed(text, call) as Answer;
    throw errorOf(call.does, status, statusIn(text));
  }

  /** Sends a call, and returns the answer whose body is still to be read. */
  async open(call: ApiCall, silenceMs: number, signal?: AbortSignal): Promise<IncomingMessage> {
    const { server } = this.connection;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const options = await this.#optionsOf(call, body);
    const { request } = moduleFor(server);
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, ...(signal && { signal }) }, resolve);
      sent.setTimeout(silenceMs, () => sent.destroy(new SilentError(silenceMs)));
      sent.on("error", (error) => reject(this.#away(call, error)));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #optionsOf(
    { method, path }: ApiCall,
    body: string | undefined,
  ): Promise<HttpsOptions & RequestOptions> {
    const { server, authority, serverName, isUnchecked, credentials } = this.connection;
    const { token, certificate, key } = await this.#proof(credentials);
    return {
      agent: this.#agent,
      method,
      hostname: server.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: server.port || (server.protocol === "http:" ? 80 : 443),
      path: `${server.pathname.replace(/\/$/, "")}${path}`,
      headers: {
        accept: "application/json",
        "user-agent": "reprise",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        }),
      },
      ...(authority && { ca: authority }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(isUnchecked && { rejectUnauthorized: false }),
    };
  }

  async #proof(credentials: Connection["credentials"]): ReturnType<Connection["credentials"]> {
    try {
      return await credentials();
    } catch (error) {
      if (error instanceof BackendAwayError) throw error;
      throw new BackendAwayError(`Kubernetes: the credentials cannot be read: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }

  #away({ does }: ApiCall, error: unknown): BackendAwayError {
    const why = error instanceof SilentError ? error.message : (codeOf(error) ?? messageOf(error));
    const { host } = this.connection.server;
    return new BackendAwayError(
      `Kubernetes: ${does} failed: the API server ${host} does not answer (${why}).`,
      {
        cause: error,
      },
    );
  }
}

class SilentError extends Error {
  constructor(silenceMs: number) {
    super(`silent for ${silenceMs / 1000} s`);
  }
}

async function textOf(response: IncomingMessage, { does }: ApiCall, timeoutMs: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  const tooLate = setTimeout(() => response.destroy(new SilentError(timeoutMs)), timeoutMs);
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > ANSWER_MAX_BYTES) throw new Error(`more than ${ANSWER_MAX_BYTES} bytes`);
      parts.push(part);
    }
  } catch (error) {
    throw new BackendAwayError(`Kubernetes: ${does} failed: the answer broke off (${messageOf(error)}).`, {
      cause: error,
    });
  } finally {
    clearTimeout(tooLate);
  }
  return Buffer.concat(parts).toString();
}

function parsed(text: string, { does }: ApiCall): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BackendAwayError(
      `Kubernetes: ${does} failed: the answer is not JSON. Is this the API server?`,
      {
        cause: error,
      },
    );
  }
}

/** The `Status` in an answer. A proxy before the API server answers in another form. */
function statusIn(text: string): ApiStatus {
  try {
    return JSON.parse(text) as ApiStatus;
  } catch {
    return { message: text.trim().split("\n")[0]! };
  }
}

/** Returns the module for an address. Loaded at the first call, so that a server without Kubernetes starts faster. */
function moduleFor({ protocol }: URL) {
  return process.getBuiltinModule(protocol === "http:" ? "node:http" : "node:https");
}
