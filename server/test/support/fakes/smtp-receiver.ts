import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A small local SMTP server. It stores received messages, and the test sets its replies. */
export interface SmtpReceiver {
  readonly port: number;
  readonly received: ReceivedMail[];
  /**
   * Replies to each command, such as `451 Later.`. Undefined to accept the command, null to send no reply.
   */
  reply: (command: string) => string | null | undefined;
  close(): Promise<void>;
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text. */
  readonly content: string;
}

export async function openSmtpReceiver(): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    converse(socket, receiver);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: SmtpReceiver = {
    port: (server.address() as AddressInfo).port,
    received,
    reply: () => undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}

const USUAL: Readonly<Record<string, string>> = { DATA: "354 Go on.", STARTTLS: "502 No TLS here." };

/** Implements the part of SMTP needed by a client that sends one message. */
function converse(socket: Socket, receiver: SmtpReceiver): void {
  let [from, content, unread] = ["", "", ""];
  let to: string[] = [];
  let isInData = false;
  const say = (command: string, usual: string) => {
    const reply = receiver.reply(command);
    if (reply !== null) socket.write(`${reply ?? usual}\r\n`);
  };
  const take = (line: string) => {
    if (isInData) {
      if (line !== ".") return void (content += `${line}\n`);
      isInData = false;
      receiver.received.push({ from, to, content });
      return say("END", "250 Kept.");
    }
    const command = line.split(" ", 1)[0]!.toUpperCase();
    if (command === "MAIL") [from, to, content] = [/<(.*?)>/.exec(line)![1]!, [], ""];
    if (command === "RCPT") to.push(/<(.*?)>/.exec(line)![1]!);
    if (command === "DATA") isInData = true;
    say(command, USUAL[command] ?? "250 Well.");
    if (command === "QUIT") socket.end();
  };
  say("CONNECT", "220 A receiver of tests.");
  socket.on("data", (chunk) => {
    const lines = (unread + chunk.toString("utf8")).split("\r\n");
    unread = lines.pop()!;
    for (const line of lines) take(line);
  });
}
