import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { freePort } from "#backends/free-port-fixture";
import { databaseSetting } from "./database.ts";
import { SERVER_FLAGS } from "../../../tools/server-flags.js";

export const ADMIN_TOKEN = "test.admin.0123456789abcdefghijklmnopqrstuvwxyz";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

const FOR_TESTS = { REPRISE_ADMIN_TOKEN: ADMIN_TOKEN, REPRISE_SAMPLE_RUN: "false" };

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Thrown if a server ended before it was ready. */
export class EndedEarly extends Error {
  readonly exit: Exit;

  constructor(exit: Exit, output: string) {
    super(`The server ended with ${exit.code ?? exit.signal} before it was ready:\n${output}`);
    this.exit = exit;
  }
}

/** The server as a separate process, which a test may kill. */
export interface RealServer {
  readonly url: string;
  readonly pid: number;
  /** Returns the output so far: standard output and error. */
  output(): string;
  /** Kills the process by SIGKILL, without any cleanup. */
  kill(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves when the process ends, for any reason. */
  readonly exited: Promise<Exit>;
}

export async function temporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-test-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Starts a server on a port reserved for the test, which may kill the server and start another on the port.
 */
export async function startRealServer(
  dataFolder: string,
  environment: Record<string, string> = {},
  ...options: string[]
): Promise<RealServer> {
  const port = String(await freePort());
  return startProgram(MAIN, dataFolder, environment, "serve", "--port", port, ...options);
}

/**
 * Starts a server that is subject to file permissions even if the tests run as root. Root keeps its user id,
 * and thereby its files, but drops the capabilities that ignore permissions.
 */
export function startOrdinaryServer(dataFolder: string): Promise<RealServer> {
  const program = [process.execPath, ...SERVER_FLAGS, MAIN, "serve", "--port", "0"];
  return startCommand(process.getuid?.() === 0 ? [...WITHOUT_RIGHTS, ...program] : program, dataFolder, {});
}

const WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"];

/** Starts the product's program, or any program that prints its address when ready. */
export function startProgram(
  program: string,
  dataFolder: string,
  environment: Record<string, string>,
  ...args: string[]
): Promise<RealServer> {
  return startCommand([process.execPath, ...SERVER_FLAGS, program, ...args], dataFolder, environment);
}

async function startCommand(
  [command, ...args]: readonly string[],
  dataFolder: string,
  environment: Record<string, string>,
): Promise<RealServer> {
  const settings = { REPRISE_DATA: dataFolder, ...(await databaseSetting(dataFolder)), ...environment };
  const child = spawn(command!, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...FOR_TESTS, ...settings },
  });
  const exited = new Promise<Exit>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  let written = "";
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      written += String(chunk);
      const address = /https?:\/\/[\w.:[\]]+/.exec(written);
      if (address) resolve(address[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    void exited.then((exit) => reject(new EndedEarly(exit, written)));
  });
  return {
    url,
    pid: child.pid!,
    output: () => written,
    kill: async () => void (await end(child, "SIGKILL")),
    stop: (signal = "SIGTERM") => end(child, signal),
    exited,
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, "exit");
  }
  return child.exitCode;
}

type Body = NonNullable<RequestInit["body"]>;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Wraps the calls common to most tests, as one user. */
export function client(url: string, token = ADMIN_TOKEN) {
  const call = async (
    method: string,
    route: string,
    body?: Body,
    query = "",
    signal: AbortSignal | null = null,
  ): Promise<Answer> => {
    const init: RequestInit = { method, signal, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${url}/api/${route}?access_token=${token}${query}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    call,
    create: async (commands: readonly string[], name = "w") => {
      const steps = [{ name: "step", commands }];
      const document = { workflow: { type: "serial", specification: { steps } } };
      const answer = await call("POST", "workflows", JSON.stringify(document), `&workflow_name=${name}`);
      return answer.body["workflow_id"] as string;
    },
    setStatus: (run: string, status: string) =>
      call("PUT", `workflows/${run}/status`, undefined, `&status=${status}`),
    status: async (run: string) => (await call("GET", `workflows/${run}/status`)).body,
    /** Returns the status record as soon as the run has ended. */
    async ended(run: string): Promise<Record<string, unknown>> {
      for (;;) {
        const { body } = await call("GET", `workflows/${run}/status`);
        if (["finished", "failed", "stopped"].includes(body["status"] as string)) return body;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    upload: (run: string, name: string, content: Body) =>
      call("POST", `workflows/${run}/workspace`, content, `&file_name=${encodeURIComponent(name)}`),
    async download(run: string, name: string): Promise<{ status: number; text: string }> {
      const file = name.split("/").map(encodeURIComponent).join("/");
      const response = await fetch(`${url}/api/workflows/${run}/workspace/${file}?access_token=${token}`);
      return { status: response.status, text: await response.text() };
    },
  };
}
