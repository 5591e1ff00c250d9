import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import process from "node:process";

/**
 * A program that serves one image under every name, to one user. It is started in the network of a test cluster
 * (kubernetes-fixture.sh): registry-fixture.ts PORT ARCHIVE USER:PASSWORD. It prints a line for each manifest that it gives.
 */
const [port, archive, user] = process.argv.slice(2) as [string, string, string];

interface Content {
  readonly type: string;
  readonly bytes: Buffer;
}

const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-registry-"));
execFileSync("tar", ["-xf", archive, "-C", folder]);
const read = (name: string) => readFileSync(path.join(folder, name));
const [image] = JSON.parse(read("manifest.json").toString()) as [{ Config: string; Layers: [string] }];
execFileSync("rm", ["-r", "--", path.join(folder, "manifest.json")]);

const TYPES = "application/vnd.docker";
const blobs = new Map<string, Content>();
const described = (type: string, bytes: Buffer) => {
  const digest = digestOf(bytes);
  blobs.set(digest, { type, bytes });
  return { mediaType: type, size: bytes.length, digest };
};
const manifest = Buffer.from(
  JSON.stringify({
    schemaVersion: 2,
    mediaType: `${TYPES}.distribution.manifest.v2+json`,
    config: described(`${TYPES}.container.image.v1+json`, read(image.Config)),
    layers: [described(`${TYPES}.image.rootfs.diff.tar`, read(image.Layers[0]))],
  }),
);
execFileSync("rm", ["-r", "--", folder]);

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function maybeContent(url: string): Content | undefined {
  if (url.includes("/manifests/") && !url.includes("absent"))
    return { type: `${TYPES}.distribution.manifest.v2+json`, bytes: manifest };
  return blobs.get(/\/blobs\/(sha256:\w+)$/.exec(url)?.[1] ?? "");
}

createServer(({ url = "", headers, method }, response) => {
  const isKnown = headers.authorization === `Basic ${Buffer.from(user).toString("base64")}`;
  if (!isKnown) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end();
    return;
  }
  const content = maybeContent(url);
  if (!content) {
    response.writeHead(url === "/v2/" ? 200 : 404).end("{}");
    return;
  }
  const { type, bytes } = content;
  if (url.includes("/manifests/")) process.stdout.write(`${method} ${url}\n`);
  response.writeHead(200, {
    "content-type": type,
    "content-length": bytes.length,
    "docker-content-digest": digestOf(bytes),
  });
  response.end(method === "HEAD" ? undefined : bytes);
}).listen(Number(port), "127.0.0.1");
