import http from "node:http";
import { once } from "node:events";

/**
 * Sends sequential requests over one connection. Returns the median and 99th percentile of latencies in
 * milliseconds.
 */
export async function requestTimes(url: string, count: number): Promise<{ p50: number; p99: number }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let request = 0; request < count; request += 1) {
    const beganAt = performance.now();
    const [response] = (await once(http.get(url, { agent }), "response")) as [http.IncomingMessage];
    response.resume();
    await once(response, "end");
    if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}.`);
    times.push(performance.now() - beganAt);
  }
  agent.destroy();
  const sorted = times.sort((one, other) => one - other);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return { p50: at(0.5), p99: at(0.99) };
}
