import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { conformanceEnvironment } from "./conformance-environment.ts";
import type { Fault } from "./fakes/data-server.ts";

const SERVE = path.join(import.meta.dirname, "..", "..", "..", "conformance", "s3", "serve.py");

/** moto's S3 service, which checks signatures, behind a proxy that makes faults. */
export interface Moto {
  /** Host and port of the proxy. */
  readonly host: string;
  readonly address: string;
  /** `KEY:SECRET` of a user who may do everything. */
  readonly keys: string;
  /** Method and address of each request, in order. */
  readonly requests: string[];
  /** Handles the next requests with faults, one each. */
  fail(...faults: readonly Fault[]): void;
  /** Breaks the next reply off behind its first bytes. */
  cutNext(bytes: number): void;
  close(): Promise<void>;
}

export async function startMoto(): Promise<Moto> {
  const program = path.join(await conformanceEnvironment("s3"), "bin", "python");
  const child = spawn(program, [SERVE], { stdio: ["pipe", "pipe", "ignore"] });
  const { url, keys } = await readyLine(child);
  const faults: Fault[] = [];
  const requests: string[] = [];
  const cuts: number[] = [];
  const proxy = createServer((received, reply) => {
    requests.push(`${received.method} ${received.url}`);
    if (!faults.shift()?.(received, reply)) passOn(url, received, reply, cuts.shift());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    host,
    address: `http://${host}`,
    keys,
    requests,
    fail: (...more) => void faults.push(...more),
    cutNext: (bytes) => void cuts.push(bytes),
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}

/** Returns the first line of the service, printed when ready. */
async function readyLine(child: ChildProcess): Promise<{ readonly url: string; readonly keys: string }> {
  for await (const line of createInterface({ input: child.stdout! }))
    if (line.startsWith("{")) return JSON.parse(line) as { url: string; keys: string };
  throw new Error("moto ended before it was ready.");
}

/**
 * Sends a request to the service as it is: the signature covers the host of the proxy. `cutAfter` is the number of bytes
 * after which the reply breaks off.
 */
function passOn(url: string, received: IncomingMessage, reply: ServerResponse, cutAfter = Infinity): void {
  const { method, headers } = received;
  const onward = request(`${url}${received.url}`, { method, headers, agent: false }, (answer) => {
    reply.writeHead(answer.statusCode!, answer.headers);
    let left = cutAfter;
    answer.on("data", (chunk: Buffer) => {
      reply.write(chunk.subarray(0, left), () => {
        if (left <= 0) reply.destroy();
      });
      left -= chunk.length;
    });
    answer.on("end", () => reply.end());
  });
  onward.on("error", () => reply.destroy());
  received.pipe(onward);
}
