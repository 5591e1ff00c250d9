import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

export interface Load {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
}

const SECONDS = 3;

/** Measures with one thread and 32 connections: on two cores, the other core is left to the server. */
export async function wrk(url: string, script?: string): Promise<Load> {
  const stdout = await run(url, 32, script);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)!),
  };
}

async function run(url: string, connections: number, script?: string): Promise<string> {
  const args = [
    "-t1",
    `-c${connections}`,
    `-d${SECONDS}s`,
    "--latency",
    ...(script ? ["-s", script] : []),
    url,
  ];
  const { stdout } = await promisify(execFile)("wrk", args).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") throw new Error("The benchmark needs wrk: apt-get install wrk.");
    throw error;
  });
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} answered errors under load:\n${stdout}`);
  return stdout;
}

export interface Times {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Sends sequential requests over one connection. Returns the latencies. */
export async function timesAlone(folder: string, url: string, body?: string): Promise<Times> {
  const file = path.join(folder, "alone.lua");
  await writeFile(file, `${body === undefined ? "" : posting(body)}${PRINT_TIMES}`);
  const [, mean, p50, p95] = /times ([\d.]+) (\d+) (\d+)/.exec(await run(url, 1, file))!;
  return { meanMs: Number(mean) / 1000, p50Ms: Number(p50) / 1000, p95Ms: Number(p95) / 1000 };
}

const PRINT_TIMES = `done = function(summary, latency)
  io.write(string.format("times %f %d %d\\n", latency.mean, latency:percentile(50), latency:percentile(95)))
end
`;

/** Writes a script in Lua, which wrk needs for POST requests. */
export async function postScript(folder: string, body: string): Promise<string> {
  const file = path.join(folder, "post.lua");
  await writeFile(file, posting(body));
  return file;
}

/** Writes a script with the headers of each request. */
export async function headersScript(
  file: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = [[${value}]]\n`);
  await writeFile(file, lines.join(""));
  return file;
}

function posting(body: string): string {
  const headers = 'wrk.headers["Content-Type"] = "application/json"';
  return `wrk.method = "POST"\nwrk.body = [[${body}]]\n${headers}\n`;
}

function milliseconds([, value, unit]: RegExpExecArray): number {
  return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as "us" | "ms" | "s"];
}
