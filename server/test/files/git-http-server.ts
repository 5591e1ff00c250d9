import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/**
 * A real Git server over HTTP on loopback: `git http-backend`, as Apache would run it, behind node:http.
 * `addRepository` makes repositories. `answerFirst` may answer a request instead of git, to act as a bad server.
 */
export interface GitHttpServer {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly port: number;
  /** Method and address of every request, in order. */
  readonly requests: readonly string[];
  /** Folder of the bare repositories. */
  readonly folder: string;
  addRepository(name: string, files: RepositoryFiles): Promise<Repository>;
  close(): Promise<void>;
}

/** Path → content; a link is `{ linkTo }`. */
export type RepositoryFiles = Readonly<Record<string, string | Buffer | { readonly linkTo: string }>>;

export interface Repository {
  /** `http://127.0.0.1:41234/name.git` */
  readonly url: string;
  /** The served bare repository. */
  readonly folder: string;
  /** Commits these files on top and returns the commit's id. */
  commit(files: RepositoryFiles): Promise<string>;
  /** The working copy in which commits are made. */
  readonly workFolder: string;
  /** Runs any git command in the working copy. Returns its output, trimmed. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /**
   * Stores a tree with exactly the given entries, even with names that git itself would never write. Returns
   * the tree's id.
   */
  storeTree(entries: readonly TreeEntry[]): Promise<string>;
  /** Commits a stored tree on the main branch and publishes it. */
  commitTree(entries: readonly TreeEntry[]): Promise<void>;
  /** Makes the served repository equal to the working copy, with all branches and tags. */
  publish(): Promise<void>;
}

export interface TreeEntry {
  readonly mode: "100644" | "120000" | "40000";
  readonly name: string;
  readonly id: string;
}

/** Returns true if the function has answered or will answer. */
type AnswerFirst = (request: IncomingMessage, response: ServerResponse) => boolean;

export async function startGitHttpServer(answerFirst: AnswerFirst = () => false): Promise<GitHttpServer> {
  const root = await mkdtemp(path.join(os.tmpdir(), "reprise-git-server-"));
  const folder = path.join(root, "served");
  await mkdir(folder);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!answerFirst(request, response)) runBackend(folder, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    requests,
    folder,
    addRepository: (name, files) => addRepository({ root, folder, url }, name, files),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function runBackend(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://localhost");
  const child = spawn("git", ["http-backend"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROTOCOL: request.headers["git-protocol"]?.toString() ?? "",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  // A client that leaves during a transfer breaks the pipes, without any further effect.
  child.stdin.on("error", () => undefined);
  response.on("close", () => child.kill());
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    child.stdout.off("data", readHead);
    writeHead(response, head.subarray(0, end).toString("latin1"));
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on("data", readHead);
  child.on("close", () => response.end());
}

/** Copies CGI's header: `Status: 404 Not Found`, then the remaining fields. */
function writeHead(response: ServerResponse, head: string): void {
  response.statusCode = 200;
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
}

async function addRepository(
  server: { readonly root: string; readonly folder: string; readonly url: string },
  name: string,
  files: RepositoryFiles,
): Promise<Repository> {
  const work = path.join(server.root, "work", name);
  const bare = path.join(server.folder, `${name}.git`);
  await mkdir(work, { recursive: true });
  const git = (...args: readonly string[]): Promise<string> => runGit(work, args);
  await git("init", "--quiet", "--initial-branch=main");
  const publish = async (): Promise<void> => {
    await rm(bare, { recursive: true, force: true });
    await git("clone", "--quiet", "--bare", "--no-hardlinks", ".", bare);
  };
  const commit = async (more: RepositoryFiles): Promise<string> => {
    for (const [file, content] of Object.entries(more)) await writeEntry(path.join(work, file), content);
    await git("add", "--all", "--force");
    await git("commit", "--quiet", "--message=More files", "--allow-empty");
    await publish();
    return await git("rev-parse", "HEAD");
  };
  const storeTree = async (entries: readonly TreeEntry[]): Promise<string> => {
    const file = path.join(server.root, "tree");
    const rows = entries.flatMap(({ mode, name: entry, id }) => [
      Buffer.from(`${mode} ${entry}\0`),
      Buffer.from(id, "hex"),
    ]);
    await writeFile(file, Buffer.concat(rows));
    return await git("hash-object", "-t", "tree", "-w", "--literally", file);
  };
  const commitTree = async (entries: readonly TreeEntry[]): Promise<void> => {
    await git(
      "update-ref",
      "refs/heads/main",
      await git("commit-tree", await storeTree(entries), "-m", "Trick"),
    );
    await publish();
  };
  await commit(files);
  const url = `${server.url}/${name}.git`;
  return { url, folder: bare, workFolder: work, commit, git, publish, storeTree, commitTree };
}

async function writeEntry(file: string, content: RepositoryFiles[string]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  if (typeof content === "object" && "linkTo" in content) return await symlink(content.linkTo, file);
  await writeFile(file, content);
  if (file.endsWith(".sh")) await chmod(file, 0o755);
}

async function runGit(folder: string, args: readonly string[]): Promise<string> {
  const identity = [
    "-c",
    "user.name=Ada",
    "-c",
    "user.email=ada@example.org",
    "-c",
    "protocol.file.allow=always",
  ];
  const env = {
    PATH: process.env["PATH"],
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    HOME: folder,
  };
  const { stdout } = await promisify(execFile)("git", [...identity, ...args], { cwd: folder, env });
  return stdout.trim();
}
