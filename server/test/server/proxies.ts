import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:net";
import { readBlocks } from "../guides/blocks.ts";

/** The proxies of the guide, started with its own words: only addresses and files are replaced. */
const GUIDE = "docs/guides/reverse-proxy.md";

export const PROXIES = ["nginx", "caddy", "apache"] as const;

type Proxy = (typeof PROXIES)[number];

const PROGRAMS: Readonly<Record<Proxy, string>> = { nginx: "nginx", caddy: "caddy", apache: "apache2" };
const LANGUAGES: Readonly<Record<Proxy, string>> = { nginx: "nginx", caddy: "caddyfile", apache: "apache" };

/** Returns the reason for skipping the tests of a proxy. */
export function maybeMissing(proxy: Proxy): string | undefined {
  const program = PROGRAMS[proxy];
  const isThere = spawnSync(program, [proxy === "caddy" ? "version" : "-v"]).error === undefined;
  return isThere ? undefined : `it needs ${program}: apt-get install ${program}`;
}

export interface Place {
  /** An empty folder for all files of the proxy. */
  readonly folder: string;
  readonly port: number;
  readonly serverPort: number;
  readonly notebookPort: number;
  readonly cert: string;
  readonly key: string;
}

/** Starts a proxy. Returns a function that stops the proxy. */
export async function startProxy(proxy: Proxy, place: Place): Promise<() => Promise<void>> {
  await mkdir(place.folder, { recursive: true });
  const { folder } = place;
  const file = path.join(folder, "conf");
  await writeFile(file, around(proxy, place, withPlace(await wordsOf(proxy), place)));
  const args = {
    nginx: ["-c", file, "-p", folder, "-e", path.join(folder, "error.log")],
    caddy: ["run", "--adapter", "caddyfile", "--config", file],
    apache: ["-f", file, "-DFOREGROUND"],
  }[proxy];
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(PROGRAMS[proxy], args, { stdio: ["ignore", "ignore", "pipe"], env });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)));
  while (!(await listens(place.port))) {
    if (child.exitCode !== null) throw new Error(`${proxy} ended: ${said}`);
    await delay(50);
  }
  return () => end(child);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

async function wordsOf(proxy: Proxy): Promise<string> {
  const blocks = await readBlocks(GUIDE);
  const block = blocks.find(({ language }) => language === LANGUAGES[proxy]);
  if (!block) throw new Error(`${GUIDE} has no block for ${proxy}.`);
  return block.lines.join("\n");
}

function withPlace(words: string, { port, serverPort, notebookPort, cert, key }: Place): string {
  return words
    .replaceAll("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replaceAll("*:443", `127.0.0.1:${port}`)
    .replaceAll(/^(\w+\.example\.org) \{/gm, `$1:${port} {`)
    .replaceAll("127.0.0.1:7070", `127.0.0.1:${serverPort}`)
    .replaceAll("127.0.0.1:7071", `127.0.0.1:${notebookPort}`)
    .replaceAll("/etc/ssl/reprise.pem", cert)
    .replaceAll("/etc/ssl/private/reprise.key", key);
}

const APACHE_MODULES = ["mpm_event", "authz_core", "ssl", "socache_shmcb", "proxy", "proxy_http", "headers"];

/** Adds what the packages of a distribution have around the words of the guide. */
function around(proxy: Proxy, { folder, port }: Place, words: string): string {
  if (proxy === "caddy") {
    return `{\n  admin off\n  auto_https disable_redirects\n  default_bind 127.0.0.1\n}\n${words}\n`;
  }
  if (proxy === "nginx") {
    const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
    const log = "access_log off;";
    return `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\n${log}\n${temporary}\n${words}\n}\n`;
  }
  const modules = APACHE_MODULES.map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  const rest = [`ServerName localhost`, `PidFile ${folder}/pid`, `ErrorLog ${folder}/error.log`];
  const user = process.getuid?.() === 0 ? ["User www-data", "Group www-data"] : [];
  const head = [`DefaultRuntimeDir ${folder}`, ...modules, ...rest, ...user, `Listen 127.0.0.1:${port}`];
  return `${head.join("\n")}\n${words}\n`;
}
