import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * The fate of a request. `drop`: it is carried out, but its answer is lost. `cut`: the answer breaks off in the middle.
 * `away`: the request is lost. `hold`: the answer arrives when `letGo` is called.
 */
export type Fate = "pass" | "drop" | "cut" | "away" | "hold";

/** A proxy between a command and a server that treats requests as a test says. */
export interface RoughProxy {
  readonly url: string;
  /** Chooses the fate of each request from now on. They are counted from 1. */
  fate(choose: (count: number) => Fate): void;
  /** Number of requests since the fate was chosen. */
  requests(): number;
  held(): number;
  letGo(): void;
  /** Breaks all open connections. */
  disconnect(): void;
  close(): Promise<void>;
}

export async function roughProxy(target: string): Promise<RoughProxy> {
  let choose: (count: number) => Fate = () => "pass";
  let [requests, held] = [0, 0];
  let gate = Promise.withResolvers<void>();
  const server = http.createServer((asked, reply) => {
    requests += 1;
    // The client or the server went away. The end of the connection informs the remaining side.
    serve(asked, reply, choose(requests)).catch(() => asked.socket.destroy());
  });
  async function serve(asked: IncomingMessage, reply: ServerResponse, fate: Fate): Promise<void> {
    if (fate === "away") return void asked.socket.destroy();
    const answer = await forward(target, asked);
    if (fate === "hold") {
      held += 1;
      await gate.promise;
    }
    const { statusCode = 502 } = answer;
    // Each hop negotiates by itself whether its connection stays open.
    const { connection: _connection, ...headers } = answer.headers;
    if (fate === "drop" || fate === "cut") {
      const content = await buffer(answer);
      if (fate === "drop" || content.length === 0) return void asked.socket.destroy();
      reply.writeHead(statusCode, headers);
      const half = content.subarray(0, Math.floor(content.length / 2));
      reply.write(half, () => asked.socket.destroy());
      return;
    }
    reply.writeHead(statusCode, headers);
    answer.on("error", () => asked.socket.destroy());
    reply.on("close", () => answer.destroy());
    answer.pipe(reply);
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fate(chosen) {
      [choose, requests, held] = [chosen, 0, 0];
      gate = Promise.withResolvers<void>();
    },
    requests: () => requests,
    held: () => held,
    letGo: () => gate.resolve(),
    disconnect: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

async function forward(target: string, asked: IncomingMessage): Promise<IncomingMessage> {
  const body = await buffer(asked);
  const { host: _host, connection: _connection, ...headers } = asked.headers;
  const onward = http.request(new URL(asked.url!, target), { method: asked.method, headers, agent: false });
  onward.end(body);
  const [answer] = (await once(onward, "response")) as [IncomingMessage];
  return answer;
}
