import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { TestContext } from "vitest";

/** A private PostgreSQL server for tests, in its own folder, on a Unix socket in that folder, without fsync. */
export interface PostgresServer {
  /** `postgres://user:password@/database?host=folder` */
  url(database?: string): string;
  /** Does nothing if the server is running already. */
  start(): Promise<void>;
  /** `fast` closes the connections cleanly. `immediate` looks like a crash. */
  stop(how: "fast" | "immediate"): Promise<void>;
  restart(): Promise<void>;
  /** Stops the server for good and deletes its folder. */
  remove(): Promise<void>;
}

export const NEEDS_POSTGRES = "it needs PostgreSQL: apt-get install postgresql";

/** `beforeEach(needsPostgres)` */
export function needsPostgres(context: TestContext): void {
  context.skip(!hasPostgres(), NEEDS_POSTGRES);
}

const USER = "reprise";
/** Password that must never appear in a log or an error. An appearance means a leak. */
export const POSTGRES_PASSWORD = "never-to-be-seen-c0ffee";

/**
 * Acknowledged writes survive the death of the server's processes, as they must. A power cut would only cost the test.
 */
const FAST_AND_UNSAFE = {
  listen_addresses: "",
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_connections: "200",
  shared_buffers: "32MB",
  // Tests of waiting transactions should not take a second.
  deadlock_timeout: "50ms",
};

export function hasPostgres(): boolean {
  return programsFolder() !== undefined;
}

/** Returns the folder of Debian's newest version, or one on the PATH. */
function programsFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => path.join(debian, version, "bin"));
  folders.push(...(process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean));
  return folders.find((folder) => existsSync(path.join(folder, "initdb")));
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const programs = programsFolder();
  if (programs === undefined) throw new Error(`No PostgreSQL server can be started: ${NEEDS_POSTGRES}.`);
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-pg-"));
  const server = new Server(programs, folder);
  await server.make();
  await server.start();
  return server;
}

class Server implements PostgresServer {
  readonly #programs: string;
  readonly #folder: string;
  readonly #account = unprivilegedAccount();
  #process: ChildProcess | undefined;

  constructor(programs: string, folder: string) {
    this.#programs = programs;
    this.#folder = folder;
  }

  url(database = "postgres"): string {
    return `postgres://${USER}:${POSTGRES_PASSWORD}@/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  async make(): Promise<void> {
    const passwordFile = path.join(this.#folder, "password");
    await writeFile(passwordFile, POSTGRES_PASSWORD);
    if (this.#account) {
      for (const one of [this.#folder, passwordFile]) await chown(one, this.#account.uid, this.#account.gid);
    }
    const access = ["--username", USER, "--pwfile", passwordFile, "--auth", "scram-sha-256"];
    const kind = ["--encoding", "UTF8", "--no-locale", "--no-sync", "--no-instructions"];
    execFileSync(path.join(this.#programs, "initdb"), ["--pgdata", this.#data, ...access, ...kind], {
      ...this.#account,
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
  }

  async start(): Promise<void> {
    if (this.#process) return;
    const settings = Object.entries({ ...FAST_AND_UNSAFE, unix_socket_directories: this.#folder });
    const options = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // The kernel signals the server if the process that runs the tests dies for any reason.
    const command = [
      "--pdeathsig",
      "QUIT",
      path.join(this.#programs, "postgres"),
      "-D",
      this.#data,
      ...options,
    ];
    const child = spawn("setpriv", command, { ...this.#account, cwd: this.#folder, stdio: "ignore" });
    this.#process = child;
    await this.#untilReady(child);
  }

  async stop(how: "fast" | "immediate"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  }

  async restart(): Promise<void> {
    await this.stop("fast");
    await this.start();
  }

  async remove(): Promise<void> {
    await this.stop("immediate");
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return path.join(this.#folder, "data");
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    for (;;) {
      if (child.exitCode !== null) {
        throw new Error(`PostgreSQL ended with ${child.exitCode} before it was ready.`);
      }
      const client = new Client({ connectionString: this.url() });
      try {
        await client.connect();
        return;
      } catch {
        await delay(20);
      } finally {
        await client.end();
      }
    }
  }
}

/** Returns an account for the server, because PostgreSQL refuses to run as root. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account = ["postgres", "nobody"].map((name) => accounts.find((one) => one[0] === name)).find(Boolean);
  if (!account) throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody.");
  return { uid: Number(account[2]), gid: Number(account[3]) };
}
