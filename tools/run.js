// Runs a script of this checkout: `node tools/run.js <script> [arguments]`. Installs the packages of the lock file if
// that has not been done yet, then runs the script with the Node version that the lock file specifies. Plain JavaScript
// without dependencies, because it must run on an older Node, before anything is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SERVER_FLAGS } from "./server-flags.js";

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const MODULES = path.join(ROOT, "node_modules");
/** Contains a hash of the installed lock file; written when an installation is complete. */
const STAMP = path.join(MODULES, ".reprise-setup");

/** The program whose `serve` shows the web page. */
const SERVER = "server/bin/reprise.js";

/** Time between two lines about the set-up if they do not go to a terminal. */
const LINE_INTERVAL_S = 10;

/** Thrown with a sentence for the person at the keyboard. */
class SetupError extends Error {}

/** The process that currently runs in place of this one; signals are passed on to it. */
let child;
/** The signal that this process received while a child was running. */
let asked;
/** True once the script has ended. A signal that npm forwards after that belongs to the press that ended it. */
let isDone = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // Ctrl-C reaches the whole process group, and npm forwards it as well: signals that arrive together count as one
  // press (server/src/cli/terminal/stop-signals.ts). This process only passes signals on and never acts upon them.
  process.on(signal, () => {
    asked = signal;
    if (child) child.kill(signal);
    else if (!isDone) void endBy(signal);
  });
}

// Exit without the teardown of Node, during which such a signal would kill the process.
// Without a code, what this file waits for has never come: 13 is Node's own code for that.
process.once("beforeExit", () => process.exit(process.exitCode ?? 13));

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function main([script, ...args]) {
  if (script === undefined) throw new SetupError("Usage: node tools/run.js <script> [arguments]");
  if (!isAtLeast(process.versions.node, 20, 19)) {
    throw new SetupError(
      `Node ${process.versions.node} is too old for this checkout: it needs Node 20.19 or newer.`,
    );
  }
  if (!isInPath("bash")) {
    throw new SetupError(
      "There is no bash in the PATH. Reprise runs its jobs with it: install bash, or add its folder to the PATH.",
    );
  }
  if (!isSetUp()) await whileNobodyElse(() => (isSetUp() ? undefined : setUp()));
  // The server shows the web page, which is built if its sources have changed. A server without it still serves the API.
  if (script === SERVER && args[0] === "serve") await buildPage();
  const flags = script.startsWith("server/") ? SERVER_FLAGS : [];
  const { code, signal } = await run(findNode(), [...flags, path.join(ROOT, script), ...args], {
    stdio: "inherit",
  });
  isDone = true;
  if (signal) await endBy(signal);
  process.exitCode = code;
}

/** Builds the web page. After a failure, which is printed, the server starts all the same. */
async function buildPage() {
  const { signal } = await run(findNode(), [path.join(ROOT, "tools", "build-page.ts")], { stdio: "inherit" });
  if (signal) await endBy(signal);
}

function isSetUp() {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === wantedStamp();
}

/**
 * Returns the stamp of this lock file and machine type. If two machines share a checkout, each type needs its own
 * installation.
 */
function wantedStamp() {
  const hash = createHash("sha256")
    .update(readFileSync(path.join(ROOT, "package-lock.json")))
    .digest("hex");
  return `${process.platform}-${process.arch} ${hash}\n`;
}

async function setUp() {
  const npm = findNpm();
  const version = await npmVersion(npm);
  if (!isAtLeast(version, 10, 0))
    throw new SetupError(`npm ${version} is too old for this checkout: it needs npm 10 or newer.`);
  rmSync(STAMP, { force: true });
  // Include the packages that a production machine leaves out: the Node of the lock file is an optional dependency.
  const args = ["ci", "--include=dev", "--include=optional", "--loglevel=error"];
  const stopClock = showClock("Setting up (once): npm installs the packages of the lock file …");
  const { code, output } = await runQuietly(npm, args).finally(stopClock);
  if (asked) await endBy(asked);
  if (code !== 0) {
    throw new SetupError(
      `${output.trimEnd()}\nThe set-up did not succeed: "npm ci" said why above. It is tried again next time.`,
    );
  }
  writeFileSync(`${STAMP}.new`, wantedStamp());
  renameSync(`${STAMP}.new`, STAMP);
}

/** Shows how long a step has taken: on a terminal in one line that changes each second, otherwise in a line now and then. */
function showClock(step) {
  const { isTTY } = process.stderr;
  let seconds = 0;
  process.stderr.write(isTTY ? step : `${step}\n`);
  const timer = setInterval(() => {
    seconds += 1;
    if (isTTY) process.stderr.write(`\r${step} ${seconds} s`);
    else if (seconds % LINE_INTERVAL_S === 0) process.stderr.write(`${step} ${seconds} s\n`);
  }, 1000);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write("\n");
  };
}

function isInPath(program) {
  return (process.env.PATH ?? "/usr/bin:/bin")
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, program)));
}

/** Returns the npm that started this process, or else the one on the path. */
function findNpm() {
  const file = process.env.npm_execpath;
  return file && /npm-cli\.c?js$/.test(file) ? [process.execPath, file] : ["npm"];
}

async function npmVersion(npm) {
  const known = /^npm\/([\d.]+)/.exec(process.env.npm_config_user_agent ?? "");
  if (known) return known[1];
  const { output } = await runQuietly(npm, ["--version"]);
  return output.trim();
}

async function runQuietly([command, ...first], args) {
  const chunks = [];
  const running = run(command, [...first, ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
  return { ...(await running), output: Buffer.concat(chunks).toString() };
}

function run(command, args, options) {
  child = spawn(command, args, options);
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new SetupError(`${command} could not be started: ${error.message}`)),
    );
    child.once("close", (code, signal) => {
      child = undefined;
      resolve({ code, signal });
    });
  });
}

function findNode() {
  const bundled = path.join(MODULES, `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(bundled)) return bundled;
  if (isAtLeast(process.versions.node, 22, 18)) return process.execPath;
  throw new SetupError(
    `The lock file brings no Node for ${process.platform}-${process.arch}, and Node ${process.versions.node} is too old: install Node 22.18 or newer.`,
  );
}

/**
 * Runs one installation at a time. The lock is a listening socket, which closes with its process however that ends; a
 * second process waits for it to close. On Linux the socket's name is abstract; elsewhere it is a file, which a dead
 * owner may leave behind.
 */
async function whileNobodyElse(work) {
  const id = createHash("sha256").update(`${process.getuid?.()} ${ROOT}`).digest("hex").slice(0, 24);
  const isAbstract = process.platform === "linux";
  const name = isAbstract ? `\0reprise-setup-${id}` : path.join(os.tmpdir(), `reprise-setup-${id}.sock`);
  for (;;) {
    const lock = await listen(name);
    if (lock) {
      try {
        return await work();
      } finally {
        lock.close();
      }
    }
    const wasAlive = await waitForOwner(name);
    if (!wasAlive && !isAbstract) rmSync(name, { force: true });
  }
}

function listen(name) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    // A waiting process may leave at any moment, which does not matter here.
    socket.on("error", () => sockets.delete(socket));
    socket.on("close", () => sockets.delete(socket));
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(name, () => {
      resolve({
        close() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}

/** Returns whether there was an owner to wait for. */
function waitForOwner(name) {
  return new Promise((resolve) => {
    const socket = net.connect(name);
    let wasAlive = false;
    socket.on("connect", () => (wasAlive = true));
    // Refused or reset: the owner has ended. "close" comes next.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(wasAlive));
    socket.resume();
  });
}

/** Ends this process in the same way as the child, so that its parent sees the same result. Never returns. */
function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  return new Promise((resolve) => setTimeout(resolve, 60_000));
}

function isAtLeast(version, major, minor) {
  const [theirMajor = 0, theirMinor = 0] = version.split(".").map(Number);
  return theirMajor > major || (theirMajor === major && theirMinor >= minor);
}
