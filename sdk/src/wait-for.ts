import type { RepriseClient } from "./index.ts";
import { pause } from "./pause.ts";
import type { components } from "./schema.ts";

export type RunStatus = components["schemas"]["RunStatus"];

export interface WaitOptions {
  /**
   * Time after which a `TimeoutError` is thrown; the run continues. Without it, only the end of the run ends the wait.
   */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * The statuses of ended runs. The server defines an equal list separately, because the SDK imports nothing
 * from the server.
 */
const ENDED: readonly RunStatus[] = ["finished", "failed", "stopped", "deleted"];

/**
 * The pause between two requests grows to the second number: a short run is noticed soon, and a long one costs little.
 */
const [FIRST_PAUSE_MS, PAUSE_MAX_MS] = [50, 2000];

/** Waits until a run is finished, failed, stopped or deleted, and returns that status. */
export async function waitFor(
  client: RepriseClient,
  run: string,
  { timeoutMs, signal }: WaitOptions = {},
): Promise<RunStatus> {
  const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
  const ending = AbortSignal.any(signals.filter((one) => one !== undefined));
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, PAUSE_MAX_MS)) {
    ending.throwIfAborted();
    const status = await statusOf(client, run, ending);
    if (ENDED.includes(status)) return status;
    await pause(pauseMs, ending);
  }
}

/** Asks for the status. If the wait ends first, the error is the reason why it ended. */
async function statusOf(client: RepriseClient, run: string, ending: AbortSignal): Promise<RunStatus> {
  const params = { path: { workflow_id_or_name: run } };
  try {
    const options = { params, signal: ending };
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", options);
    return data!.status;
  } catch (error) {
    ending.throwIfAborted();
    throw error;
  }
}
