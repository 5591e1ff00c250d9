import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A server with REANA's REST API, and a token of a user there. */
export interface RemoteReana {
  /** Returns the run of this name or id, or undefined if there is none. */
  maybeRun(name: string): Promise<RemoteRun | undefined>;
  /** Creates a run, and returns its id. */
  create(name: string, specification: unknown): Promise<string>;
  upload(id: string, file: RemoteFile): Promise<void>;
  start(id: string, options: RemoteStart): Promise<void>;
  /** Returns the SHA-256 of a file in hexadecimal digits, or undefined if there is none. */
  maybeChecksum(id: string, path: string): Promise<string | undefined>;
  /** Returns the last line of the log of the engine, which has the words of a failure. */
  lastWords(id: string): Promise<string | null>;
}

export interface RemoteRun {
  readonly id: string;
  readonly status: string;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

interface RemoteFile {
  readonly path: string;
  readonly bytes: number;
  readonly content: Readable;
}

interface RemoteStart {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Thrown if a server refuses a request. The message is the sentence of that server. */
export class RemoteRefusal extends Error {
  override readonly name = "RemoteRefusal";
}

/** Thrown if a server does not respond, or reports a fault of its own: the same request may succeed later. */
export class RemoteAway extends Error {
  override readonly name = "RemoteAway";
}

/** A file of some gigabytes takes minutes. */
const LIMIT_MS = 10 * 60_000;
const MAX_SENTENCE = 300;

interface Access {
  readonly url: string;
  readonly token: string;
  readonly stopping: AbortSignal;
}

export function openRemoteReana(access: Access): RemoteReana {
  const ask = (path: string, init: RequestInit = {}, query: Readonly<Record<string, string>> = {}) =>
    send(access, path, init, query);
  const of = (id: string) => `/api/workflows/${encodeURIComponent(id)}`;
  return {
    async maybeRun(name) {
      const reply = await ask(`${of(name)}/status`);
      return reply && toRun((await reply.json()) as StatusReply);
    },
    async create(name, specification) {
      const reply = await found(ask("/api/workflows", jsonOf(specification), { workflow_name: name }));
      return ((await reply.json()) as { readonly workflow_id: string }).workflow_id;
    },
    async upload(id, { path, bytes, content }) {
      const headers = { "content-type": "application/octet-stream", "content-length": String(bytes) };
      const body = bytes === 0 ? "" : Readable.toWeb(content);
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      await (await found(ask(`${of(id)}/workspace`, init, { file_name: path }))).body?.cancel();
    },
    async start(id, { parameters, options }) {
      const body = jsonOf({ input_parameters: parameters, operational_options: options });
      await (await found(ask(`${of(id)}/start`, body))).body?.cancel();
    },
    async maybeChecksum(id, path) {
      const place = path.split("/").map(encodeURIComponent).join("/");
      const reply = await ask(`${of(id)}/workspace/${place}`);
      return reply && checksumOf(reply);
    },
    async lastWords(id) {
      const reply = await ask(`${of(id)}/logs`);
      return reply ? lastLine((await reply.json()) as { readonly logs?: unknown }) : null;
    },
  };
}

function jsonOf(value: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** Returns the reply, or undefined for a 404. The token is in the address, as REANA's clients send it. */
async function send(
  { url, token, stopping }: Access,
  path: string,
  init: RequestInit,
  query: Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  const address = `${url}${path}?${new URLSearchParams({ ...query, access_token: token }).toString()}`;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(LIMIT_MS)]);
  const host = new URL(url).host;
  const reply = await fetch(address, { ...init, redirect: "manual", signal }).catch((error: unknown) => {
    throw new RemoteAway(`${host} does not respond.`, { cause: error });
  });
  if (reply.ok) return reply;
  const sentence = await sentenceOf(reply);
  if (reply.status === 404 && init.method === undefined) return undefined;
  if (reply.status >= 500 || reply.status === 429)
    throw new RemoteAway(`${host} returned the status ${reply.status}${sentence && `: ${sentence}`}.`);
  throw new RemoteRefusal(sentence || `it returned the status ${reply.status}`);
}

async function found(reply: Promise<Response | undefined>): Promise<Response> {
  const given = await reply;
  if (given) return given;
  throw new RemoteRefusal("it returned the status 404");
}

async function sentenceOf(reply: Response): Promise<string> {
  const text = await reply.text().catch(() => "");
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message.slice(0, MAX_SENTENCE) : "";
  } catch {
    // A page of a proxy has no sentence for people here.
    return "";
  }
}

async function checksumOf(reply: Response): Promise<string> {
  const hash = createHash("sha256");
  if (reply.body) await pipeline(reply.body, hash);
  return hash.digest("hex");
}

interface StatusReply {
  readonly id: string;
  readonly status: string;
  readonly progress?: {
    readonly run_started_at?: string | null;
    readonly run_finished_at?: string | null;
    readonly run_stopped_at?: string | null;
  };
}

function toRun({ id, status, progress = {} }: StatusReply): RemoteRun {
  const ended = progress.run_finished_at ?? progress.run_stopped_at;
  return { id, status, startedAtMs: timeOf(progress.run_started_at), endedAtMs: timeOf(ended) };
}

/** Parses a time of REANA, which is UTC without a zone. */
function timeOf(text: string | null | undefined): number | null {
  const atMs = Date.parse(`${text ?? ""}Z`);
  return Number.isNaN(atMs) ? null : atMs;
}

function lastLine({ logs }: { readonly logs?: unknown }): string | null {
  try {
    const { workflow_logs: text } = JSON.parse(String(logs)) as { readonly workflow_logs?: unknown };
    return typeof text === "string" ? (text.trim().split("\n").at(-1)?.slice(0, MAX_SENTENCE) ?? null) : null;
  } catch {
    // Logs in another form have no last line.
    return null;
  }
}
