import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { maybeProgram } from "#plumbing/files/find-program";

/** Why a test with a server of XRootD is skipped. */
export const NO_XROOTD =
  maybeProgram("xrootd") && maybeProgram("xrdcp")
    ? undefined
    : "it needs a server of XRootD: apt-get install xrootd-server xrootd-client";

/** A server of XRootD on loopback. */
export interface Xrootd {
  readonly host: string;
  /** Stores a file, as anybody may read it. */
  put(name: string, content: string): void;
  address(name: string): string;
  close(): Promise<void>;
}

export async function startXrootd(): Promise<Xrootd> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-xrootd-"));
  chmodSync(folder, 0o777);
  const data = path.join(folder, "data");
  mkdirSync(data);
  chmodSync(data, 0o777);
  const port = await freePort();
  const lines = ["all.export /", `oss.localroot ${data}`, `xrd.port ${port}`, "xrootd.chksum max 2 adler32"];
  const places = [`all.adminpath ${folder}`, `all.pidpath ${folder}`];
  writeFileSync(path.join(folder, "x.cfg"), [...lines, ...places, ""].join("\n"));
  // The program refuses to be root.
  const user = process.getuid?.() === 0 ? ["-R", "nobody"] : [];
  const words = [...user, "-c", path.join(folder, "x.cfg"), "-l", path.join(folder, "log")];
  const child = spawn("xrootd", words, { cwd: folder, stdio: "ignore" });
  await answers(child, port);
  return {
    host: `127.0.0.1:${port}`,
    put(name, content) {
      writeFileSync(path.join(data, name), content);
      chmodSync(path.join(data, name), 0o644);
    },
    address: (name) => `root://127.0.0.1:${port}//${name}`,
    async close() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function answers(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error("xrootd has ended.");
    const socket = connect(port, "127.0.0.1");
    const [event] = await Promise.race([
      once(socket, "connect").then(() => ["open"]),
      once(socket, "close").then(() => ["closed"]),
    ]).catch(() => ["closed"]);
    socket.destroy();
    if (event === "open") return;
    await delay(20);
  }
}
