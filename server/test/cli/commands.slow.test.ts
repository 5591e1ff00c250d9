import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command } from "../support/command.ts";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";
import { roughProxy } from "./rough-proxy.ts";

/** Tests of the commands as processes of their own: in a pipe, on a terminal, and with a server that is killed. */
const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

let folder: string;
let data: string;
let remove: () => Promise<void>;
let server: RealServer;

beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder());
  data = path.join(folder, "data");
  server = await startRealServer(data);
});

afterAll(async () => {
  await server.stop();
  await remove();
});

const environment = () => ({ ...process.env, REPRISE_SERVER: server.url, REPRISE_TOKEN: ADMIN_TOKEN });

function begin(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, complained] = [text(child.stdout), text(child.stderr)];
  const ended = once(child, "exit").then(async ([code]) => ({
    code: code as number,
    printed: await printed,
    complained: await complained,
  }));
  return { child, ended };
}

const reprise = (...args: string[]) => begin(...args).ended;

/** Runs a command on a terminal, so both output streams are combined. */
async function onTerminal(...args: string[]): Promise<string> {
  const typed = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const { stdout } = await promisify(execFile)("script", ["-qec", typed, "/dev/null"], {
    cwd: folder,
    env: environment(),
  });
  return stdout;
}

/** Kills the server and starts a new server on the same port. */
async function restart(): Promise<void> {
  const { port } = new URL(server.url);
  await server.kill();
  server = await startRealServer(data, {}, "--port", port);
}

describe("in a pipe and on a terminal", () => {
  test("upload and download of files", async () => {
    await client(server.url).create(["true"], "files");
    const content = "0123456789".repeat(200_000);
    await writeFile(path.join(folder, "big.txt"), content);
    expect(await reprise("upload", "-w", "files", "big.txt")).toEqual({
      code: 0,
      printed: "Uploaded 1 file (1.91 MiB) to files.1.\n",
      complained: "",
    });
    const seen = await onTerminal("download", "-w", "files", "big.txt", "-o", "back");
    const drawn = seen.split("\r\u001b[K");
    expect(drawn[1]).toMatch(/^Downloaded .* of 1.91 MiB \(\d+ %\), .*\/s/);
    expect(drawn.at(-1)).toBe("Downloaded 1 file (1.91 MiB) to back.\r\n");
    expect(await readFile(path.join(folder, "back", "big.txt"), "utf8")).toBe(content);
  });

  test("a reader that closes the pipe early causes no error", async () => {
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-c", '"$@" | head -n 1; exit "${PIPESTATUS[0]}"', "bash", process.execPath, MAIN, "list"],
      { cwd: folder, env: environment() },
    );
    expect(stdout).toMatch(/^NAME /);
  });

  const failing = (line: string, more: Record<string, string> = {}) => {
    const { promise: ended, resolve } = Promise.withResolvers<[code: unknown, complained: string]>();
    const words = ["-c", line, "bash", process.execPath, MAIN, "help"];
    execFile("bash", words, { env: { ...process.env, ...more } }, (error, _printed, complained) =>
      resolve([error?.code, complained]),
    );
    return ended;
  };

  test("unwritable output is an error, in a single sentence", async () => {
    expect(await failing('"$@" > /dev/full')).toEqual([
      1,
      "error: The output could not be written: ENOSPC: no space left on device, write\n",
    ]);
  });

  test("an unhandled error is printed", async () => {
    const late = 'setTimeout(() => { throw new Error("unforeseen") }, 0)';
    const options = `--import=data:text/javascript,${encodeURIComponent(late)}`;
    expect(await failing('"$@"', { NODE_OPTIONS: options })).toEqual([
      1,
      expect.stringContaining("unforeseen"),
    ]);
  });

  test("the live server on the data folder is found, with its administrator's token", async () => {
    const { REPRISE_SERVER: _server, REPRISE_TOKEN: _token, ...rest } = environment();
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "list", "--data", data, "--json"], {
      env: rest,
    });
    expect(JSON.parse(stdout)).toEqual(expect.any(Array));
  });
});

const CTRL_C = "\u0003";

describe("at a terminal Ctrl-C", () => {
  const atTerminal = (url: string, ...args: string[]) =>
    command(args, {
      cwd: folder,
      atTerminal: true,
      environment: { REPRISE_SERVER: url, REPRISE_TOKEN: ADMIN_TOKEN },
    });

  test("ends the watching, and not the run", async () => {
    const gate = path.join(folder, "gate");
    await writeFile(gate, "");
    await client(server.url).create([`while [ -e ${gate} ]; do sleep 0.05; done`], "left");
    const watching = atTerminal(server.url, "start", "left", "--watch");
    await expect.poll(watching.stdout).toContain("left.1 is running");
    watching.type(CTRL_C);
    expect(await watching.ended).toBe(130);
    expect(await client(server.url).status("left")).toMatchObject({ status: "running" });
    await rm(gate);
    expect(await client(server.url).ended("left")).toMatchObject({ status: "finished" });
  });

  test("breaks an upload off, which then continues at the break", async () => {
    await client(server.url).create(["true"], "broken");
    await writeFile(path.join(folder, "parts.bin"), Buffer.alloc(9 << 20, "x"));
    const proxy = await roughProxy(server.url);
    // The announcement and the first part pass.
    proxy.fate((count) => (count <= 2 ? "pass" : "hold"));
    const uploading = atTerminal(proxy.url, "upload", "-w", "broken", "parts.bin");
    await expect.poll(proxy.held).toBe(1);
    await expect.poll(uploading.stdout).toContain("of 9 MiB");
    uploading.type(CTRL_C);
    expect(await uploading.ended).toBe(130);
    expect(uploading.stdout().split("\u001b[K").at(-1)).toBe(
      "Interrupted. Run the same command again to resume.\r\n",
    );
    expect((await reprise("ls", "-w", "broken", "--json")).printed).toBe("[]\n");
    proxy.letGo();
    proxy.fate(() => "pass");
    const again = atTerminal(proxy.url, "upload", "-w", "broken", "parts.bin");
    expect(await again.ended).toBe(0);
    // The announcement, the last part, the end and the run's name: the parts that had arrived were not sent again.
    expect(proxy.requests()).toBe(4);
    expect((await reprise("ls", "-w", "broken")).printed).toContain(String(9 << 20));
    await proxy.close();
  });
});

describe("beside a server that is killed and restarted", () => {
  test("watching commands see the end", async () => {
    const gate = path.join(folder, "gate");
    await writeFile(gate, "");
    await client(server.url).create(
      [`echo first; while [ -e ${gate} ]; do sleep 0.05; done; echo done`],
      "watched",
    );
    await reprise("start", "watched");
    const watching = begin("status", "watched", "--watch");
    const following = begin("logs", "-f", "watched");
    const seen = { watching: "", following: "" };
    watching.child.stdout.on("data", (chunk) => (seen.watching += String(chunk)));
    following.child.stdout.on("data", (chunk) => (seen.following += String(chunk)));
    await expect.poll(() => seen.watching).toContain("watched.1 is running");
    await expect.poll(() => seen.following).toContain("first");
    await restart();
    await rm(gate);
    const watched = await watching.ended;
    expect([watched.code, watched.printed]).toEqual([
      0,
      expect.stringMatching(/watched.1 finished, jobs 1\/1\n$/),
    ]);
    const followed = await following.ended;
    expect(followed).toEqual({
      code: 0,
      printed: "==> step <==\nfirst\ndone\n",
      complained: expect.stringContaining("watched.1 finished."),
    });
  });

  test("commands report that no server came back", async () => {
    const gone = { ...environment(), REPRISE_SERVER: "http://127.0.0.1:1/" };
    const failure = promisify(execFile)(process.execPath, [MAIN, "list"], { env: gone });
    await expect(failure).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^http:\/\/127.0.0.1:1 could not be reached: .*\n$/),
    });
  });
});
