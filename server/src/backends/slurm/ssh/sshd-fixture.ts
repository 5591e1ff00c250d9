import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { freePort } from "#backends/free-port-fixture";
import { isProgram } from "#plumbing/files/find-program";

const SSHD = "/usr/sbin/sshd";

/** True if this machine can run a login host of the tests. In CI a skipped test counts as failed. */
export const HAS_SSHD = process.getuid?.() === 0 && isProgram(SSHD) && isProgram("/usr/bin/ssh");

/** A real sshd on loopback, with its own keys: a login host for the user of the tests. */
export interface Sshd {
  readonly host: string;
  readonly port: number;
  /** The configuration of ssh with the key of the user and the known host key. */
  readonly configFile: string;
  readonly folder: string;
  /** Starts the daemon, with further lines of its configuration. */
  up(...lines: readonly string[]): Promise<void>;
  /** Ends the daemon and its connections. */
  kill(): Promise<void>;
  /** Gives the host another key. */
  changeKey(): void;
  /** Returns the number of connections so far. */
  connections(): number;
  down(): Promise<void>;
}

/** Starts a login host whose sessions have the given variables. */
export async function startSshd(variables: Readonly<Record<string, string>> = {}): Promise<Sshd> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-sshd-"));
  const port = await freePort();
  const at = (name: string) => path.join(folder, name);
  const makeKey = (name: string) =>
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
  makeKey("host-key");
  makeKey("user-key");
  copyFileSync(at("user-key.pub"), at("authorized-keys"));
  chmodSync(at("authorized-keys"), 0o600);
  writeFileSync(at("known-hosts"), `[127.0.0.1]:${port} ${readFileSync(at("host-key.pub"), "utf8")}`);
  const client = [
    `IdentityFile ${at("user-key")}`,
    "IdentitiesOnly yes",
    `UserKnownHostsFile ${at("known-hosts")}`,
  ];
  writeFileSync(at("config"), client.join("\n"));
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const server = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${at("host-key")}`,
    `AuthorizedKeysFile ${at("authorized-keys")}`,
    "PidFile none",
    "PermitRootLogin yes",
    "StrictModes no",
    "UsePAM no",
    "LogLevel VERBOSE",
    ...(set.length === 0 ? [] : [`SetEnv ${set.join(" ")}`]),
  ];
  let daemon: ReturnType<typeof spawn> | undefined;
  const sshd: Sshd = {
    host: `ssh://root@127.0.0.1:${port}`,
    port,
    configFile: at("config"),
    folder,
    async up(...lines) {
      // The first line of an option counts.
      writeFileSync(at("sshd-config"), [...lines, ...server, ""].join("\n"));
      daemon = spawn(SSHD, ["-D", "-f", at("sshd-config"), "-E", at("log")], { stdio: "ignore" });
      while (!(await accepts(port))) {
        if (daemon.exitCode !== null)
          throw new Error(`sshd did not start: ${readFileSync(at("log"), "utf8")}`);
      }
    },
    async kill() {
      if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
      const over = once(daemon, "exit");
      // The processes of connections are children of the daemon, in groups of their own.
      for (const child of descendantsOf(daemon.pid!)) killQuietly(child);
      daemon.kill("SIGKILL");
      await over;
    },
    changeKey() {
      for (const name of ["host-key", "host-key.pub"]) rmSync(at(name));
      makeKey("host-key");
    },
    connections: () => readFileSync(at("log"), "utf8").match(/^Accepted publickey /gm)?.length ?? 0,
    async down() {
      await sshd.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  // The folder that keeps the rights of sessions before their login.
  execFileSync("mkdir", ["-p", "/run/sshd"]);
  await sshd.up();
  return sshd;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => setTimeout(() => resolve(false), 20));
    socket.once("connect", () => socket.destroy());
  });
}

/** Returns the processes below a process, the commands of sessions included. */
function descendantsOf(pid: number): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const below = (parent: number): readonly number[] =>
    pairs.filter(([, ppid]) => ppid === parent).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}
