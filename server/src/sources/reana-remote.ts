import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A server with REANA's REST API, and a token of a user there. */
export interface RemoteReana {
  /** Returns the run with a name or id. Undefined if no run has the name. */
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

/** Time for a reply. A file of some gigabytes takes minutes. */
const LIMIT_MS = 60_000;
const FILE_LIMIT_MS = 10 * 60_000;
const MAX_SENTENCE = 300;

interface Access {
  readonly url: string;
  readonly token: string;
  readonly stopping: AbortSignal;
}

export function openRemoteReana(access: Access): RemoteReana {
  const host = new URL(access.url).host;
  const ask = (path: string, init: RequestInit = {}, query: Readonly<Record<string, string>> = {}) =>
    send(access, { path, init, query, limitMs: LIMIT_MS });
  const askForFile = (path: string, init: RequestInit = {}, query: Readonly<Record<string, string>> = {}) =>
    send(access, { path, init, query, limitMs: FILE_LIMIT_MS });
  const of = (id: string) => `/api/workflows/${encodeURIComponent(id)}`;
  return {
    async maybeRun(name) {
      const reply = await ask(`${of(name)}/status`);
      return reply && reading(host, async () => toRun(await reply.json()));
    },
    async create(name, specification) {
      const reply = await found(ask("/api/workflows", jsonOf(specification), { workflow_name: name }));
      return reading(host, async () => createdId(await reply.json()));
    },
    async upload(id, { path, bytes, content }) {
      const headers = { "content-type": "application/octet-stream", "content-length": String(bytes) };
      const body = bytes === 0 ? "" : Readable.toWeb(content);
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      try {
        await found(askForFile(`${of(id)}/workspace`, init, { file_name: path })).then(drop);
      } finally {
        content.destroy();
      }
    },
    async start(id, { parameters, options }) {
      const body = jsonOf({ input_parameters: parameters, operational_options: options });
      await found(ask(`${of(id)}/start`, body)).then(drop);
    },
    async maybeChecksum(id, path) {
      const place = path.split("/").map(encodeURIComponent).join("/");
      const reply = await askForFile(`${of(id)}/workspace/${place}`);
      return reply && reading(host, () => checksumOf(reply));
    },
    async lastWords(id) {
      const reply = await ask(`${of(id)}/logs`);
      return reply ? reading(host, async () => lastLine((await reply.json()) as LogsReply)) : null;
    },
  };
}

function jsonOf(value: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

async function drop(reply: Response): Promise<void> {
  await reply.body?.cancel();
}

/** Reads a reply. A reply that breaks off, or that is a page of a proxy, may be whole the next time. */
async function reading<Result>(host: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw new RemoteAway(`${host} sent a reply that is broken, or not one of REANA's API.`, { cause: error });
  }
}

interface Question {
  readonly path: string;
  readonly init: RequestInit;
  readonly query: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** Returns the reply, or undefined for a 404. The token is in the address, as REANA's clients send it. */
async function send(
  { url, token, stopping }: Access,
  { path, init, query, limitMs }: Question,
): Promise<Response | undefined> {
  const address = `${url}${path}?${new URLSearchParams({ ...query, access_token: token }).toString()}`;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(limitMs)]);
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

/** Throws if the reply is not the status of a run. */
function toRun(reply: unknown): RemoteRun {
  const { id, status, progress = {} } = reply as StatusReply;
  if (typeof id !== "string" || typeof status !== "string") throw new Error("The reply has no status.");
  const ended = progress.run_finished_at ?? progress.run_stopped_at;
  return { id, status, startedAtMs: timeOf(progress.run_started_at), endedAtMs: timeOf(ended) };
}

/** Throws if the reply names no run. */
function createdId(reply: unknown): string {
  const { workflow_id: id } = reply as { readonly workflow_id?: unknown };
  if (typeof id === "string") return id;
  throw new Error("The reply names no workflow.");
}

/** Parses a time of REANA, which is UTC without a zone. */
function timeOf(text: string | null | undefined): number | null {
  const atMs = Date.parse(`${text ?? ""}Z`);
  return Number.isNaN(atMs) ? null : atMs;
}

interface LogsReply {
  readonly logs?: unknown;
}

function lastLine({ logs }: LogsReply): string | null {
  try {
    const { workflow_logs: text } = JSON.parse(String(logs)) as { readonly workflow_logs?: unknown };
    return typeof text === "string" ? (text.trim().split("\n").at(-1)?.slice(0, MAX_SENTENCE) ?? null) : null;
  } catch {
    // Logs in another form have no last line.
    return null;
  }
}
