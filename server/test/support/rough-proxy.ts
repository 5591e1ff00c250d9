import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * What becomes of a request. `drop`: it is carried out, and nobody hears of it. `cut`: the answer breaks off in its
 * middle. `away`: nothing of it arrives anywhere. `hold`: the answer comes when `letGo` is called.
 */
export type Fate = "pass" | "drop" | "cut" | "away" | "hold";

/** Stands between a command and a server, and does to its requests what a test says. */
export interface RoughProxy {
  readonly url: string;
  /** Chooses what becomes of the requests from now on, which are counted from 1. */
  fate(choose: (count: number) => Fate): void;
  /** Since the fate was chosen. */
  requests(): number;
  held(): number;
  letGo(): void;
  /** Breaks off whatever is open. */
  disconnect(): void;
  close(): Promise<void>;
}

export async function roughProxy(target: string): Promise<RoughProxy> {
  let choose: (count: number) => Fate = () => "pass";
  let [requests, held] = [0, 0];
  let gate = Promise.withResolvers<void>();
  const server = http.createServer((asked, reply) => {
    requests += 1;
    // A client that went away, or a server: whoever is left is told by the end of the connection.
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
    // Whether a connection stays open is agreed on each way by itself.
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
