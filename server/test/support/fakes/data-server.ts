import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { etagOf, handleS3, type Objects, type StoredObject } from "./s3-objects.ts";

/** What a fault does instead of the usual reply. Returns true if it has replied. */
export type Fault = (request: IncomingMessage, reply: ServerResponse) => boolean;

/**
 * A stand-in for a web server and an S3 service in one: objects by the path of their address, with entity tags, ranges
 * and conditions. Requests are recorded. It accepts every signature; the real services of the slow tests check them.
 */
export interface DataServer {
  /** `http://127.0.0.1:12345` */
  readonly address: string;
  readonly host: string;
  readonly requests: IncomingMessage[];
  readonly objects: ReadonlyMap<string, StoredObject>;
  put(path: string, body: string | Buffer): void;
  remove(path: string): void;
  /** Handles the next requests with faults, one each. */
  fail(...faults: readonly Fault[]): void;
  /** Forgets the faults that no request has met. */
  heal(): void;
  close(): Promise<void>;
}

export async function dataServer(): Promise<DataServer> {
  const objects: Objects = new Map();
  const requests: IncomingMessage[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, reply) => {
    requests.push(request);
    if (faults.shift()?.(request, reply)) return;
    if (handleS3(objects, request, reply)) return;
    sendObject(objects.get(decodeURIComponent(pathOf(request))), request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    objects,
    put: (path, body) => void objects.set(path, { body: Buffer.from(body), notes: {} }),
    remove: (path) => void objects.delete(path),
    fail: (...more) => void faults.push(...more),
    heal: () => void faults.splice(0),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendObject(object: StoredObject | undefined, request: IncomingMessage, reply: ServerResponse): void {
  if (!object) return sendS3Error(reply, 404, "NoSuchKey", "The specified key does not exist.");
  const { body, notes } = object;
  const etag = etagOf(body);
  if (request.headers["if-none-match"] === etag) return void reply.writeHead(304, { etag }).end();
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  if (from === undefined || request.headers["if-range"] !== etag)
    return void reply.writeHead(200, { etag, ...notes, "content-length": body.length }).end(body);
  const rest = body.subarray(Number(from));
  const range = `bytes ${from}-${body.length - 1}/${body.length}`;
  reply.writeHead(206, { etag, "content-length": rest.length, "content-range": range }).end(rest);
}

/** Replies as an S3 service refuses. */
function sendS3Error(
  reply: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  reply.writeHead(status, { "content-type": "application/xml", ...headers }).end(body);
}

/** Replies with the beginning of the content, then breaks the connection off. */
export function cutAfter(bytes: number, body: Buffer): Fault {
  return (_request, reply) => {
    reply.writeHead(200, { etag: etagOf(body), "content-length": body.length });
    reply.write(body.subarray(0, bytes), () => setTimeout(() => reply.destroy(), 20));
    return true;
  };
}

export function refuseWith(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Fault {
  return (_request, reply) => {
    sendS3Error(reply, status, code, message, headers);
    return true;
  };
}

function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?")[0]!;
}
