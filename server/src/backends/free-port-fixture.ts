import net from "node:net";
import process from "node:process";

/**
 * The next port to try. Ports are below the system's ephemeral ports: between the search and the start of the
 * listening program, no other program gets the port. Each test process begins at a different port.
 */
let nextPort = 12_000 + 2 * ((process.pid * 503) % 9000);

/**
 * Returns a free port of loopback, for a program that needs its port as a setting. The next port is left to
 * the notebooks of a server.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort;
    nextPort += 2;
    const server = net.createServer().listen(port, "127.0.0.1");
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("listening", () => resolve(true)).once("error", () => resolve(false));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
