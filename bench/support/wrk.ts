import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

export interface Load {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
}

const SECONDS = 3;

/** One thread, 32 connections: on two cores the other one is the server's. */
export async function wrk(url: string, script?: string): Promise<Load> {
  const args = ["-t1", "-c32", `-d${SECONDS}s`, "--latency", ...(script ? ["-s", script] : []), url];
  const { stdout } = await promisify(execFile)("wrk", args).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") throw new Error("The benchmark needs wrk: apt-get install wrk.");
    throw error;
  });
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered errors under load:\n${stdout}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)!),
  };
}

/** wrk posts by a script in its own language. */
export async function postScript(folder: string, body: string): Promise<string> {
  const file = path.join(folder, "post.lua");
  const headers = 'wrk.headers["Content-Type"] = "application/json"';
  await writeFile(file, `wrk.method = "POST"\nwrk.body = [[${body}]]\n${headers}\n`);
  return file;
}

function milliseconds([, value, unit]: RegExpExecArray): number {
  return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as "us" | "ms" | "s"];
}
