import { connect } from "node:net";

/**
 * Sends raw bytes to a server and returns the reply: all bytes until the server closes the connection, or
 * until the reply is complete (headers, and as many bytes as the Content-Length says).
 */
export function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => void socket.write(bytes));
    let received = "";
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      received += text;
      if (isWhole(received)) finish();
    });
    socket.on("end", finish);
    socket.on("close", finish);
    socket.on("error", (error) => (received === "" ? reject(error) : finish()));
  });
}

function isWhole(reply: string): boolean {
  const [head, ...rest] = reply.split("\r\n\r\n");
  const length = /^content-length: (\d+)$/im.exec(head!)?.[1];
  return rest.length > 0 && length !== undefined && rest.join("\r\n\r\n").length >= Number(length);
}

export function statusOf(reply: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1]);
}

export function bodyOf(reply: string): string {
  return reply.slice(reply.indexOf("\r\n\r\n") + 4);
}
