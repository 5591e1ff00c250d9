import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import SqliteDatabase from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { client, startRealServer } from "../support/real-server.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

let folder: string;
folderForEach((made) => void (folder = made));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it ends. */
function reprise(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { ...process.env, REPRISE_SAMPLE_RUN: "false", ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function serve(...args: string[]): Promise<Ended> {
  return reprise(["serve", "--port", "0", "--data", folder, ...args]);
}

/** Expects one line on standard error, an empty standard output, and exit code 1. */
function expectRefusal(ended: Ended, sentence: string): void {
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain(sentence);
  expect(ended.stderr).toMatch(/^[^\n]+\n$/);
}

/** Returns hashes of the data folder's files, except files that a mere look may change. */
async function contents(): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const files = names.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
  const hashes = files.map(async (file) => [
    file,
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex"),
  ]);
  return Object.fromEntries(await Promise.all(hashes)) as Record<string, string>;
}

describe("an impossible start is refused with a single sentence, and without damage:", () => {
  test("the port is in use", async () => {
    const other = net.createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    const { port } = other.address() as AddressInfo;
    const ended = await serve("--port", String(port));
    expectRefusal(ended, `Another program listens on port ${port} of 127.0.0.1 already.`);
    await once(other.close(), "close");
    // The folder is free again, and the server can use what the attempt created.
    const server = await startRealServer(folder);
    await server.stop();
  });

  test("a file in place of the data folder", async () => {
    const file = path.join(folder, "file");
    await writeFile(file, "mine");
    for (const data of [file, path.join(file, "under")]) {
      expectRefusal(await serve("--data", data), `The data folder ${data} cannot be used`);
    }
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  test("the data folder cannot be written", async () => {
    for (const data of ["/proc/reprise", "/proc/not/there"]) {
      expectRefusal(await serve("--data", data), `The data folder ${data} cannot be used`);
    }
  });

  test("another server uses the data folder", async () => {
    const first = await startRealServer(folder);
    expectRefusal(await serve(), "is in use by another Reprise process");
    expect((await client(first.url).call("GET", "ping")).status).toBe(200);
    await first.stop();
  });

  test("the database is of a newer version", async () => {
    await (await startRealServer(folder)).stop();
    const db = new SqliteDatabase(path.join(folder, "reprise.sqlite"));
    db.exec("INSERT INTO migrations (name) VALUES ('9999-from-the-future')");
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.close();
    const before = await contents();
    expectRefusal(await serve(), "was written by a newer version of Reprise");
    expectRefusal(
      await reprise(["user", "list", "--data", folder]),
      "was written by a newer version of Reprise",
    );
    expect(await contents()).toEqual(before);
  });

  test("remote clients could connect without TLS", async () => {
    expectRefusal(await serve("--host", "0.0.0.0"), "Others can reach 0.0.0.0");
    expect(await readdir(folder)).toEqual([]);
  });

  test("a setting is wrong", async () => {
    expectRefusal(await serve("--port", "http"), '--port is "http"');
    expectRefusal(
      await reprise(["serve"], { REPRISE_DATA: folder, REPRISE_DURABILITY: "some" }),
      'REPRISE_DURABILITY is "some"',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test("the certificate is missing", async () => {
    const ended = await serve(
      "--tls-cert",
      path.join(folder, "cert.pem"),
      "--tls-key",
      path.join(folder, "key.pem"),
    );
    expectRefusal(ended, `--tls-cert ${path.join(folder, "cert.pem")} could not be read`);
    expect(await readdir(folder)).toEqual([]);
  });
});

test("as JSON when asked for", async () => {
  const ended = await serve("--json", "--host", "0.0.0.0");
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stderr)).toEqual({
    message: expect.stringContaining("Others can reach") as string,
  });
});

describe("the remains of a killed server do no harm", () => {
  test("a forged address is not believed", async () => {
    const first = await startRealServer(folder);
    await first.kill();
    // A foreign program that has taken the port must not receive the administrator's token.
    const heard: string[] = [];
    const stranger = net.createServer((socket) => socket.on("data", (data) => heard.push(String(data))));
    await once(stranger.listen(0, "127.0.0.1"), "listening");
    const { port } = stranger.address() as AddressInfo;
    await writeFile(
      path.join(folder, "server.json"),
      JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: first.pid }),
    );
    const listed = await reprise(["user", "list", "--data", folder, "--json"]);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    expect(heard).toEqual([]);
    await once(stranger.close(), "close");
  });

  test("the next server starts, although the folders exist already", async () => {
    await mkdir(path.join(folder, "incoming"), { recursive: true });
    await (await startRealServer(folder)).kill();
    const next = await startRealServer(folder);
    expect((await client(next.url).call("GET", "ping")).status).toBe(200);
    await next.stop();
  });
});
