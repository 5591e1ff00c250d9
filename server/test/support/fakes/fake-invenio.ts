import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A server with the part of InvenioRDM's REST API that deposits need, written from the documentation (Zenodo's server is
 * one) and never compared with a real one. On request, it fails, hangs, loses its answer, or answers twice.
 */
export interface FakeInvenio {
  /** `http://127.0.0.1:12345` */
  readonly url: string;
  readonly host: string;
  readonly token: string;
  readonly deposits: ReadonlyMap<string, FakeDeposit>;
  /** Method and path of each request, below `/api`, with the id as `ID`. */
  readonly asked: string[];
  /** False while a search finds no draft, as just after a draft was made. */
  isIndexed: boolean;
  /** Answers the next request whose method and path match in another way. */
  next(what: RegExp, fault: InvenioFault): void;
  /** Forgets the faults that no request has met. */
  mend(): void;
  remove(id: string): void;
  /** Publishes a draft as its owner does on the page of the server. */
  publish(id: string): void;
  close(): Promise<void>;
}

export type InvenioFault =
  /** Answers with the status, and does nothing. */
  | { readonly kind: "fails"; readonly status: number; readonly body?: object }
  /** Reads the request and answers never. */
  | "hangs"
  /** Does what was asked, and breaks the connection off without an answer. */
  | "loses its answer"
  /** Sends the answer twice on one connection. */
  | "answers twice"
  /** Does what was asked twice, as behind a proxy that repeats requests. */
  | "is asked twice"
  /** Stores damaged bytes. */
  | "damages the file";

export interface FakeDeposit {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  doi: string | undefined;
  isPublished: boolean;
  readonly files: Map<string, { content: Buffer | undefined; isCommitted: boolean }>;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

const NO_RECORD: Answer = {
  status: 404,
  body: { status: 404, message: "The persistent identifier does not exist." },
};

export async function openFakeInvenio(): Promise<FakeInvenio> {
  const token = "zenodo-token-of-ada-0123456789";
  const deposits = new Map<string, FakeDeposit>();
  const faults: { what: RegExp; fault: InvenioFault }[] = [];
  const asked: string[] = [];

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, "http://invenio");
    const path = pathname.replace(/^\/api/, "");
    const what = `${request.method} ${path.replace(/^\/records\/[^/]+/, "/records/ID")}`;
    asked.push(what);
    const index = faults.findIndex((one) => one.what.test(what));
    const fault = index < 0 ? undefined : faults.splice(index, 1)[0]!.fault;
    if (fault === "hangs") return void request.resume();
    if (typeof fault === "object") return send(request, response, fault);
    const sent = Buffer.concat((await request.toArray()) as Buffer[]);
    const content =
      fault === "damages the file" ? Buffer.from(`${sent.toString("latin1")}!`, "latin1") : sent;
    const answer = answerTo(request, { path, search: searchParams.get("q") ?? "", content });
    if (fault === "is asked twice") answerTo(request, { path, search: "", content });
    if (fault === "loses its answer") return void request.socket.destroy();
    if (fault !== "answers twice") return send(request, response, answer);
    const text = JSON.stringify(answer.body ?? {});
    const head = `HTTP/1.1 ${answer.status} OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
    request.socket.end(`${head}${text}${head}${text}`);
  }

  function send(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status === 204 ? undefined : JSON.stringify(body ?? {}));
  }

  function answerTo(
    { method, headers }: IncomingMessage,
    { path, search, content }: { readonly path: string; readonly search: string; readonly content: Buffer },
  ): Answer {
    if (headers.authorization !== `Bearer ${token}`)
      return { status: 403, body: { status: 403, message: "Permission denied." } };
    if (path === "/user/records") return { status: 200, body: { hits: { hits: found(search), total: 0 } } };
    if (path === "/records" && method === "POST") return created(JSON.parse(content.toString()) as never);
    const [, id = "", draft, rest = ""] = /^\/records\/([^/]+)(\/draft)?(.*)$/.exec(path) ?? [];
    const deposit = deposits.get(id);
    if (!deposit || deposit.isPublished !== (draft === undefined)) return NO_RECORD;
    if (rest === "") return { status: 200, body: recordOf(deposit) };
    if (rest === "/pids/doi") return reserve(deposit);
    if (rest === "/actions/publish") return publish(deposit);
    if (rest.startsWith("/files")) return fileAnswer(deposit, method!, rest, content);
    return NO_RECORD;
  }

  function found(search: string): object[] {
    const [, wanted] = /^metadata\.identifiers\.identifier:"(.*)"$/.exec(search) ?? [];
    const isWanted = ({ metadata }: FakeDeposit) =>
      JSON.stringify(metadata["identifiers"]).includes(`"${wanted}"`);
    return fake.isIndexed ? [...deposits.values()].filter(isWanted).map(recordOf) : [];
  }

  function created({ metadata }: { readonly metadata: Record<string, unknown> }): Answer {
    const id = `abcde-${deposits.size + 1}`;
    const deposit: FakeDeposit = { id, metadata, doi: undefined, isPublished: false, files: new Map() };
    deposits.set(id, deposit);
    return { status: 201, body: recordOf(deposit) };
  }

  function reserve(deposit: FakeDeposit): Answer {
    if (deposit.doi !== undefined)
      return { status: 400, body: { status: 400, message: "A PID already exists for type doi." } };
    deposit.doi = `10.5072/zenodo.${deposit.id}`;
    return { status: 201, body: recordOf(deposit) };
  }

  function publish(deposit: FakeDeposit): Answer {
    const errors = missing(deposit);
    if (errors.length > 0)
      return { status: 400, body: { status: 400, message: "A validation error occurred.", errors } };
    deposit.isPublished = true;
    return { status: 202, body: recordOf(deposit) };
  }

  const fake: FakeInvenio = {
    url: `http://${host}`,
    host,
    token,
    deposits,
    asked,
    isIndexed: true,
    next: (what, fault) => void faults.push({ what, fault }),
    mend: () => void faults.splice(0),
    remove: (id) => void deposits.delete(id),
    publish: (id) => void publish(deposits.get(id)!),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function missing({ metadata, files }: FakeDeposit): object[] {
  const fields = ["title", "creators", "publication_date", "resource_type", "publisher"];
  const absent = fields.filter((field) => metadata[field] === undefined);
  const faults = absent.map((field) => ({
    field: `metadata.${field}`,
    messages: ["Missing data for required field."],
  }));
  const isWhole = files.size > 0 && [...files.values()].every(({ isCommitted }) => isCommitted);
  return isWhole ? faults : [...faults, { field: "files", messages: ["Missing uploaded files."] }];
}

function recordOf({ id, metadata, doi, isPublished }: FakeDeposit): object {
  return {
    id,
    metadata,
    is_draft: !isPublished,
    is_published: isPublished,
    pids: doi === undefined ? {} : { doi: { identifier: doi, provider: "datacite", client: "datacite" } },
    links: { self: "https://elsewhere.example.org/steal" },
  };
}

function fileAnswer({ files }: FakeDeposit, method: string, rest: string, content: Buffer): Answer {
  const [, encoded, action] = /^\/files(?:\/([^/]+)(?:\/(content|commit))?)?$/.exec(rest) ?? [];
  if (encoded === undefined) {
    if (method === "GET") return { status: 200, body: { enabled: true, entries: [...files].map(entryOf) } };
    for (const { key } of JSON.parse(content.toString()) as { key: string }[]) {
      if (files.has(key)) return { status: 400, body: { message: `File with key ${key} already exists.` } };
      files.set(key, { content: undefined, isCommitted: false });
    }
    return { status: 201, body: { entries: [...files].map(entryOf) } };
  }
  const name = decodeURIComponent(encoded);
  const file = files.get(name);
  if (!file) return { status: 404, body: { message: "No file." } };
  if (method === "DELETE") files.delete(name);
  if (method === "DELETE") return { status: 204 };
  if (action === "commit" && !file.content)
    return { status: 400, body: { message: "The file has no content to complete." } };
  if (action === "content") file.content = content;
  if (action === "commit") file.isCommitted = true;
  return { status: 200, body: entryOf([name, file]) };
}

function entryOf([key, { content, isCommitted }]: [
  string,
  { content: Buffer | undefined; isCommitted: boolean },
]) {
  if (!isCommitted || !content) return { key, status: "pending" };
  const checksum = `md5:${createHash("md5").update(content).digest("hex")}`;
  return { key, status: "completed", size: content.length, checksum };
}
