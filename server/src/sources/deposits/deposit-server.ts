import type { IncomingMessage } from "node:http";
import { Refusal } from "#plumbing/errors";
import { maybeJson } from "#plumbing/formats/json";
import { PassingFault } from "#plumbing/passing-fault";
import { markup } from "#plumbing/text/markup";
import { printable } from "#plumbing/text/printable";
import { type Connections, faultOf } from "#sources/data/connections";
import { isPassing, retryAfterMs } from "#sources/data/replies";
import { hostOf } from "#sources/resolve-host";
import type { Creator, DepositDescription, DepositFile } from "#workflow/run/publication";

/**
 * A server with InvenioRDM's REST API, such as Zenodo, as one of its users. Addresses in replies are never followed, so
 * the token reaches the named host alone. Throws a `PassingFault` if a later request may succeed, and else a `Refusal` with
 * the words of the other server.
 */
export interface DepositServer {
  /** Finds the user's drafts and records with an identifier, the oldest first. A new one may be missing for a second. */
  find(identifier: string): Promise<readonly Deposit[]>;
  create(description: DepositDescription): Promise<Deposit>;
  /** Returns undefined if the draft was deleted or published. */
  maybeDraft(id: string): Promise<Deposit | undefined>;
  /** Returns undefined if the draft is not published. */
  maybeRecord(id: string): Promise<Deposit | undefined>;
  reserveDoi(id: string): Promise<Deposit>;
  /** Lists the files of a draft. A file that is not complete has no checksum. */
  files(id: string): Promise<readonly (Pick<DepositFile, "name"> & Partial<DepositFile>)[]>;
  removeFile(id: string, name: string): Promise<void>;
  upload(id: string, file: DepositFile, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Completes a file whose content arrived earlier. Refused if the server has no content of the file. */
  complete(id: string, name: string): Promise<void>;
  publish(id: string): Promise<void>;
}

export interface Deposit {
  readonly id: string;
  readonly doi: string | undefined;
  readonly isPublished: boolean;
}

export interface DepositAccess {
  /** Address of the server, without a slash at its end. */
  readonly root: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Limit on the time of a request without a file. */
const LIMIT_MS = 120_000;
const REPLY_MAX_BYTES = 4 * 2 ** 20;
const SENTENCE_MAX = 400;
/** Ids become parts of addresses. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const DOI = /^10\.\d{4,9}\/[!-~]{1,200}$/;
const JSON_TYPE = "application/json";

interface Question {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path below `/api`. */
  readonly path: string;
  readonly json?: unknown;
  readonly file?: { readonly bytes: number; readonly content: AsyncIterable<Uint8Array> };
}

type Body = Readonly<Record<string, unknown>>;

export function openDepositServer(connections: Connections, access: DepositAccess): DepositServer {
  const ask = (question: Question) => answerTo(connections, access, question);
  const found = async (question: Question) => {
    const body = await ask(question);
    if (body !== undefined) return body;
    throw new Refusal(
      "absent",
      `${hostIn(access.root)} has no such deposit, or does not speak InvenioRDM's API.`,
    );
  };
  const deposit = async (question: Question) => depositIn(access, await found(question));
  const maybeDeposit = async (path: string) => {
    const body = await ask({ method: "GET", path });
    return body && depositIn(access, body);
  };
  const draft = (id: string) => `/records/${id}/draft`;
  const file = (id: string, name: string) => `${draft(id)}/files/${encodeURIComponent(name)}`;
  const complete = async (id: string, name: string) =>
    void (await found({ method: "POST", path: `${file(id, name)}/commit` }));
  return {
    async find(identifier) {
      const query = new URLSearchParams({
        q: `metadata.identifiers.identifier:"${identifier}"`,
        sort: "oldest",
        size: "25",
      });
      const body = await found({ method: "GET", path: `/user/records?${query.toString()}` });
      return hitsIn(body)
        .filter((hit) => identifiersOf(hit).includes(identifier))
        .map((hit) => depositIn(access, hit));
    },
    create: (description) =>
      deposit({ method: "POST", path: "/records", json: recordOf(access, description) }),
    maybeDraft: (id) => maybeDeposit(draft(id)),
    maybeRecord: (id) => maybeDeposit(`/records/${id}`),
    reserveDoi: (id) => deposit({ method: "POST", path: `${draft(id)}/pids/doi` }),
    async files(id) {
      const { entries } = await found({ method: "GET", path: `${draft(id)}/files` });
      return Array.isArray(entries) ? entries.map(fileIn) : [];
    },
    removeFile: async (id, name) => void (await found({ method: "DELETE", path: file(id, name) })),
    async upload(id, { name, bytes }, content) {
      await found({ method: "POST", path: `${draft(id)}/files`, json: [{ key: name }] });
      await found({ method: "PUT", path: `${file(id, name)}/content`, file: { bytes, content } });
      await complete(id, name);
    },
    complete,
    publish: async (id) => void (await found({ method: "POST", path: `${draft(id)}/actions/publish` })),
  };
}

/** Returns the body of the reply as an object, or undefined for a deposit that is not there. */
async function answerTo(
  connections: Connections,
  access: DepositAccess,
  question: Question,
): Promise<Body | undefined> {
  const url = new URL(`${access.root}/api${question.path}`);
  const prefix = `${url.host} could not be asked`;
  const signal = question.file
    ? access.signal
    : AbortSignal.any([access.signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const reply = await send(connections, url, question, { token: access.token, signal });
    return judged(reply, await textOf(reply), url.host);
  } catch (error) {
    if (access.signal.aborted) throw access.signal.reason;
    if (error instanceof PassingFault || error instanceof Refusal) throw error;
    throw faultOf(error, access.signal, prefix);
  }
}

function send(
  connections: Connections,
  url: URL,
  { method, json, file }: Question,
  { token, signal }: Pick<DepositAccess, "token" | "signal">,
): Promise<IncomingMessage> {
  const content = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const bytes = file?.bytes ?? content?.length ?? 0;
  const type = file ? "application/octet-stream" : JSON_TYPE;
  return connections.send(
    { ...hostOf(url), path: url.pathname + url.search },
    {
      method,
      signal,
      headers: {
        accept: JSON_TYPE,
        authorization: `Bearer ${token}`,
        // A second answer to one request must not be taken for the answer to the next.
        connection: "close",
        ...(method !== "GET" && { "content-length": String(bytes), "content-type": type }),
      },
      body: file?.content ?? (content && oneChunk(content)),
    },
  );
}

async function* oneChunk(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REPLY_MAX_BYTES) throw new Error("the reply is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function judged(reply: IncomingMessage, text: string, host: string): Body | undefined {
  const { statusCode: status = 0 } = reply;
  const body = maybeJson(text);
  if (status >= 200 && status < 300) {
    if (status === 204 || text === "") return {};
    if (isBody(body)) return body;
    throw new Refusal("malformed", `${host} does not speak InvenioRDM's API: its reply is not JSON.`);
  }
  const words = sentenceIn(body);
  const sentence = `${host} returned the status ${status}${words && `: ${words}`}`;
  if (isPassing(status)) throw new PassingFault(`${sentence}.`, { retryAfterMs: retryAfterMs(reply) });
  if (status === 404 || status === 410) return undefined;
  if (status === 401 || status === 403)
    throw new Refusal(
      "forbidden",
      `${sentence}. Check the token and its scopes (deposit:write, deposit:actions).`,
    );
  if (status >= 300 && status < 400)
    throw new Refusal("malformed", `${sentence}: it redirects, and the token is sent to no other address.`);
  throw new Refusal("malformed", `${sentence}.`);
}

/** Returns the message of a refusal with its first faults of fields. */
function sentenceIn(body: unknown): string {
  if (!isBody(body)) return "";
  const { message, errors } = body;
  const faults = (Array.isArray(errors) ? errors : []).flatMap((one: unknown) => {
    if (!isBody(one) || !Array.isArray(one["messages"])) return [];
    return `${String(one["field"])}: ${one["messages"].join(" ")}`;
  });
  const parts = [typeof message === "string" ? message : "", ...faults.slice(0, 3)];
  const text = parts
    .map((part) => part.trim().replace(/\.$/, ""))
    .filter((part) => part !== "")
    .join("; ");
  return printable(text, SENTENCE_MAX);
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null;
}

function depositIn({ root }: DepositAccess, body: Body): Deposit {
  const { id, pids, is_published: isPublished } = body;
  if (typeof id !== "string" || !ID.test(id))
    throw new Refusal("malformed", `${hostIn(root)} does not speak InvenioRDM's API: a deposit has no id.`);
  const doi = isBody(pids) && isBody(pids["doi"]) ? pids["doi"]["identifier"] : undefined;
  return {
    id,
    doi: typeof doi === "string" && DOI.test(doi) ? doi : undefined,
    isPublished: isPublished === true,
  };
}

function hitsIn({ hits }: Body): Body[] {
  const list = isBody(hits) ? hits["hits"] : [];
  return Array.isArray(list) ? list.filter(isBody) : [];
}

function identifiersOf({ metadata }: Body): unknown[] {
  const list = isBody(metadata) ? metadata["identifiers"] : [];
  return Array.isArray(list) ? list.filter(isBody).map((one) => one["identifier"]) : [];
}

function fileIn(entry: unknown): Pick<DepositFile, "name"> & Partial<DepositFile> {
  const { key, checksum, size, status } = isBody(entry) ? entry : {};
  const [, md5] = /^md5:([0-9a-f]{32})$/.exec(String(checksum)) ?? [];
  const isComplete = md5 !== undefined && status !== "pending";
  return { name: String(key), ...(isComplete && { md5, bytes: Number(size) }) };
}

function hostIn(root: string): string {
  return new URL(root).host;
}

/** Returns the record of a deposit in the form of InvenioRDM. */
function recordOf({ root }: DepositAccess, given: DepositDescription) {
  const { title, creators, description, version, day, license, keywords, identifier } = given;
  return {
    access: { record: "public", files: "public" },
    files: { enabled: true },
    metadata: {
      title,
      resource_type: { id: "dataset" },
      publication_date: day,
      publisher: publisherOf(root),
      version,
      creators: creators.map(creatorOf),
      description: description
        .split("\n\n")
        .map((part) => markup`<p>${part}</p>`.text)
        .join(""),
      identifiers: [{ scheme: "urn", identifier }],
      ...(license !== undefined && { rights: [rightOf(license)] }),
      ...(keywords.length > 0 && { subjects: keywords.map((subject) => ({ subject })) }),
    },
  };
}

/** Returns the publisher that a citation names. */
export function publisherOf(root: string): string {
  const { hostname } = new URL(root);
  return /(^|\.)zenodo\.org$/.test(hostname) ? "Zenodo" : hostname;
}

function creatorOf({ name, orcid, affiliation }: Creator) {
  const [family = "", given] = name.split(/,\s*/, 2);
  return {
    person_or_org:
      given === undefined
        ? { type: "organizational", name }
        : {
            type: "personal",
            family_name: family,
            given_name: given,
            ...(orcid !== undefined && { identifiers: [{ scheme: "orcid", identifier: orcid }] }),
          },
    ...(affiliation !== undefined && { affiliations: [{ name: affiliation }] }),
  };
}

/** Licences of SPDX are in the vocabulary of InvenioRDM under their ids in lower case. */
function rightOf(license: string) {
  const [, id] = /^https?:\/\/spdx\.org\/licenses\/([\w.+-]+?)(?:\.html)?$/.exec(license) ?? [];
  return id === undefined ? { title: { en: license }, link: license } : { id: id.toLowerCase() };
}
