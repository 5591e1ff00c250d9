import net from "node:net";
import process from "node:process";

/**
 * The next port to try. Ports are below those that the system gives to programs that ask for any: between the search and
 * the start of the program that listens, no other program gets the port. Each process of the tests begins elsewhere.
 */
let nextPort = 12_000 + 2 * ((process.pid * 503) % 9000);

/**
 * Returns a port of loopback on which nothing listens, for a program that has to be told its port. The port after it is
 * left to the notebooks of a server.
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
