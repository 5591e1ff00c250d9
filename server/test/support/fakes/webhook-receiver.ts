import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A local receiver of webhooks. The test sets its replies. */
export interface WebhookReceiver {
  /** Such as `http://127.0.0.1:12345`. */
  readonly url: string;
  readonly received: ReceivedMessage[];
  /** Replies to the next messages. At first, each one is accepted. */
  reply: (response: ServerResponse) => void;
  /** Resolves when `count` messages have arrived. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export async function openWebhookReceiver(
  hear: (message: ReceivedMessage) => void = () => undefined,
): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = [];
  const waiting = new Set<() => void>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const message = { path: request.url!, headers: request.headers, body: await text(request) };
    received.push(message);
    hear(message);
    receiver.reply(response);
    for (const look of waiting) look();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    reply: accept,
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}

export function accept(response: ServerResponse): void {
  response.writeHead(204).end();
}
