// Stands for `jupyter-lab` where the notebook server itself does not matter: it listens on the socket of its options,
// asks for the token of its environment, tells each request as JSON, and echoes what comes through a WebSocket.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";

const option = (name) =>
  process.argv
    .find((word) => word.startsWith(`--ServerApp.${name}=`))
    ?.split("=")
    .slice(1)
    .join("=");
const [configFolder] = process.env.JUPYTER_CONFIG_PATH.split(":");
const configuration = JSON.parse(readFileSync(`${configFolder}/jupyter_server_config.json`, "utf8"));
const base = configuration.ServerApp.base_url;
const token = process.env.JUPYTER_TOKEN;

const server = createServer((request, response) => {
  const { url, method, headers } = request;
  if (headers.authorization !== `token ${token}`) return response.writeHead(403).end("no token");
  if (url === `${base}end`) process.exit(3);
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = String(Buffer.concat(chunks));
    const told = { url, method, headers, body, folder: option("root_dir"), pid: process.pid };
    response.writeHead(200, { "content-type": "application/json", "set-cookie": ["a=1; Path=/", "b=2"] });
    response.end(JSON.stringify(told));
  });
});

server.on("upgrade", (request, socket) => {
  const key = request.headers["sec-websocket-key"];
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  // A frame from a client is masked. The echo of a short text is the same frame without the mask.
  socket.on("data", (frame) => {
    const length = frame[1] & 0x7f;
    const mask = frame.subarray(2, 6);
    const text = frame.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]);
    if ((frame[0] & 0xf) === 1) socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
  socket.on("error", () => socket.destroy());
});

server.listen(option("sock"));
