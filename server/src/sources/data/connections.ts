import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { loadRequest } from "#sources/load-request";
import {
  checkHost,
  type Host,
  type HostRules,
  type HostWords,
  INPUT_WORDS,
  type Resolve,
  resolveHost,
  systemResolve,
} from "#sources/resolve-host";

export interface Target extends Host {
  /** Encoded, with the query. */
  readonly path: string;
}

export interface DataRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

export interface ConnectionOptions extends HostRules {
  readonly resolve?: Resolve | undefined;
  /** Longest silence of a connection. Default: a minute. */
  readonly silenceMs?: number | undefined;
  /** The words of refusals. Default: about inputs. */
  readonly words?: HostWords | undefined;
}

const SILENCE_MS = 60_000;
const CONNECTIONS_PER_HOST = 16;

/**
 * Connections to the hosts of inputs and deposits. Each new connection goes to an address that was checked when it was opened, and
 * later requests to the same host use it again.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #words: HostWords;
  readonly #agents = new Map<boolean, Agent>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#words = options.words ?? INPUT_WORDS;
  }

  /** Sends a request and returns the reply, whose body must be read or destroyed. */
  async send(target: Target, { method, headers, body, signal }: DataRequest): Promise<IncomingMessage> {
    checkHost(target, this.#options, this.#words);
    // No name is looked up for an address, so it is checked here.
    if (isIP(target.host) !== 0) await this.#resolve(target);
    signal.throwIfAborted();
    const send = await loadRequest(target.isHttps ? "https:" : "http:");
    const request = send({
      host: target.host,
      port: target.port,
      path: target.path,
      method,
      headers: { "accept-encoding": "identity", "user-agent": "reprise", ...headers },
      agent: await this.#agent(target.isHttps),
      lookup: this.#lookup(target),
      timeout: this.#options.silenceMs ?? SILENCE_MS,
      signal,
    });
    request.on("timeout", () => request.destroy(new PassingFault("nothing arrived for a while")));
    return replyTo(request, body);
  }

  #lookup(target: Target): LookupFunction {
    const find = async (): Promise<LookupAddress[]> =>
      (await this.#resolve(target)).map((address) => ({ address, family: isIP(address) }));
    return (_host, options, found) =>
      void find().then(
        (all) => (options.all ? found(null, all) : found(null, all[0]!.address, all[0]!.family)),
        (error: unknown) => found(error as Error, "", 0),
      );
  }

  #resolve(target: Target): Promise<readonly string[]> {
    return resolveHost(target, this.#options, this.#options.resolve ?? systemResolve, this.#words);
  }

  async #agent(isHttps: boolean): Promise<Agent> {
    const known = this.#agents.get(isHttps);
    if (known) return known;
    const { Agent } = isHttps ? await import("node:https") : await import("node:http");
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_HOST });
    // Another request may have made the agent during the import.
    const made = this.#agents.get(isHttps) ?? agent;
    this.#agents.set(isHttps, made);
    return made;
  }
}

async function replyTo(
  request: ClientRequest,
  body: AsyncIterable<Uint8Array> | undefined,
): Promise<IncomingMessage> {
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  if (!body) request.end();
  else {
    const { pipeline } = await import("node:stream/promises");
    pipeline(body, request).catch((error: Error) => request.destroy(error));
  }
  return reply;
}

/** Returns what to throw for a failed request: a refusal as it is, and anything else as a fault that may pass. */
export function faultOf(error: unknown, signal: AbortSignal, prefix: string): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PassingFault(`${prefix}: ${message}.`, {
    cause: error,
    ...(error instanceof PassingFault && { retryAfterMs: error.retryAfterMs }),
  });
}
