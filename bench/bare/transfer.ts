import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * A node:http server that copies between a socket and the file that the URL names, without fsync, as the server does by
 * default.
 */
const folder = process.argv[2]!;
const HIGH_WATER_MARK = 1 << 20;

const server = http.createServer((request, response) => {
  void answer(request, response);
});

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const file = path.join(folder, path.basename(request.url!));
  if (request.method === "DELETE") {
    await rm(file, { force: true });
    response.end();
    return;
  }
  if (request.method === "POST") {
    await pipeline(request, createWriteStream(file, { highWaterMark: HIGH_WATER_MARK }));
    response.end("{}");
    return;
  }
  const { size } = await stat(file);
  response.writeHead(200, { "content-length": size });
  await pipeline(createReadStream(file, { highWaterMark: HIGH_WATER_MARK }), response);
}

server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
