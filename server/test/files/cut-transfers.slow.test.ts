import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { connect } from "reprise-sdk";
import { downloadFile, uploadFile } from "reprise-sdk/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dice } from "../simulation/dice.ts";
import { cuttingProxy } from "../support/fakes/cutting-proxy.ts";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";

/** Size of a file, transferred through connections cut at any byte, and by a server that is killed. */
const BYTES = 24 << 20;

let folder: string;
let data: string;
let remove: () => Promise<void>;
let server: RealServer;
let file: string;

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  data = path.join(folder, "data");
  server = await startRealServer(data);
  file = path.join(folder, "large.bin");
  const dice = new Dice(1, "content");
  const block = Buffer.from(Array.from({ length: 65_521 }, () => Math.floor(dice.unit() * 256)));
  await writeFile(file, Buffer.concat(Array.from({ length: Math.ceil(BYTES / block.length) }, () => block)));
});

afterAll(async () => {
  await server.stop();
  await remove();
});

async function shaOf(name: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(name), hash);
  return hash.digest("hex");
}

const connectTo = (url: string) =>
  connect({ url, token: ADMIN_TOKEN, retryPausesMs: Array.from({ length: 30 }, () => 10) });

describe.each([1, 2, 3])("connections cut at any byte, seed %i", (seed) => {
  test("an upload continues and ends equal; a download too", async () => {
    const run = await client(server.url).create(["true"], `cut${seed}`);
    const proxy = await cuttingProxy(server.url, { seed, cuts: 12, lifeBytesMax: 6 << 20 });
    const through = connectTo(proxy.url);
    // Makes the server known to the client, because a client does not retry a server without an earlier
    // answer.
    await expect
      .poll(() =>
        through.GET("/api/ping").then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await uploadFile(through, { workflow: run, name: "large.bin", file });
    const target = path.join(folder, `back${seed}`, "large.bin");
    await downloadFile(through, { workflow: run, name: "large.bin", target });
    expect(await shaOf(target)).toBe(await shaOf(file));
    expect(await readdir(path.dirname(target))).toEqual(["large.bin"]);
    expect(proxy.cutsLeft()).toBeLessThan(8);
    proxy.close();
  });
});

test("an upload survives that the server is killed and restarted", async () => {
  const run = await client(server.url).create(["true"], "killed");
  const { port } = new URL(server.url);
  let sent = 0;
  const passed = Promise.withResolvers<void>();
  const patient = connect({
    url: server.url,
    token: ADMIN_TOKEN,
    retryPausesMs: Array.from({ length: 600 }, () => 100),
  });
  const uploading = uploadFile(patient, {
    workflow: run,
    name: "large.bin",
    file,
    onBytes: (count) => {
      sent += count;
      if (sent > BYTES / 3) passed.resolve();
    },
  });
  await passed.promise;
  await server.kill();
  server = await startRealServer(data, {}, "--port", port);
  expect(await uploading).toBeGreaterThan(BYTES);
  const target = path.join(folder, "after", "large.bin");
  await downloadFile(connectTo(server.url), { workflow: run, name: "large.bin", target });
  expect(await shaOf(target)).toBe(await shaOf(file));
});
