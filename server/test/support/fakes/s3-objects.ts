import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** An object of the stand-in. */
export interface StoredObject {
  readonly body: Buffer;
  /** The headers `x-amz-meta-…` of its upload. */
  readonly notes: Readonly<Record<string, string>>;
}

export type Objects = Map<string, StoredObject>;

const PAGE_KEYS = 1000;

/** Handles all requests below a path, with whole objects only. */
export function serveS3(
  objects: Objects,
  base: string,
  request: IncomingMessage,
  reply: ServerResponse,
): true {
  if (handleS3(objects, request, reply, base)) return true;
  const object = objects.get(decodeURIComponent(request.url!.slice(base.length).split("?")[0]!));
  if (object) reply.writeHead(200, { etag: etagOf(object.body), ...object.notes }).end(object.body);
  else reply.writeHead(404).end();
  return true;
}

/** Handles the requests of S3 that are more than reading one object. Returns false for any other request. */
export function handleS3(
  objects: Objects,
  request: IncomingMessage,
  reply: ServerResponse,
  base = "",
): boolean {
  const url = new URL(request.url!.slice(base.length), "http://s3");
  const path = decodeURIComponent(url.pathname);
  if (request.method === "GET" && url.searchParams.get("list-type") === "2") {
    reply.end(listing(objects, path, url.searchParams));
    return true;
  }
  if (request.method === "PUT") {
    void store(objects, path, request, reply);
    return true;
  }
  return false;
}

async function store(
  objects: Objects,
  path: string,
  request: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  const notes = Object.entries(request.headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  objects.set(path, { body, notes: Object.fromEntries(notes) as Record<string, string> });
  reply.writeHead(200, { etag: etagOf(body) }).end();
}

export function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

function listing(objects: Objects, bucket: string, query: URLSearchParams): string {
  const [prefix, after] = [query.get("prefix") ?? "", query.get("continuation-token") ?? ""];
  const isFlat = query.get("delimiter") === "/";
  const start = `${bucket}/`;
  const keys = [...objects.keys()]
    .filter((path) => path.startsWith(start + prefix))
    .map((path) => path.slice(start.length))
    .filter((key) => key > after && !(isFlat && key.slice(prefix.length).includes("/")))
    .toSorted((one, other) => (one < other ? -1 : 1));
  const page = keys.slice(0, PAGE_KEYS);
  const isCut = keys.length > PAGE_KEYS;
  const contents = page.map((key) => {
    const { body } = objects.get(start + key)!;
    const etag = etagOf(body).replaceAll('"', "&quot;");
    const encoded = encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("%20", "+");
    return `<Contents><Key>${encoded}</Key><Size>${body.length}</Size><ETag>${etag}</ETag></Contents>`;
  });
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  return (
    `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType>` +
    `<IsTruncated>${isCut}</IsTruncated>${contents.join("")}${next}</ListBucketResult>`
  );
}
