import { NoAnswerError } from "./errors.ts";
import type { RepriseClient } from "./index.ts";
import { type After, pause } from "./pause.ts";
import type { components } from "./schema.ts";

export type RunEvent = components["schemas"]["RunEvent"];

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /**
   * Replacement for the system's timer: calls back after a delay, and returns a function that cancels the
   * call.
   */
  readonly after?: After;
  /** Replacement for `Math.random`. */
  readonly random?: () => number;
}

/** Attempts in a row that may end without an event before following fails. */
const EMPTY_TRIES_MAX = 5;

/** The pause before a reconnection doubles with each attempt that brought no event. */
const [FIRST_PAUSE_MS, PAUSE_MAX_MS] = [200, 5000];

/**
 * Yields the events of a run live, from its start to its `end`. After a broken connection, it reconnects and
 * continues after the last received event.
 */
export async function* followRun(
  client: RepriseClient,
  run: string,
  { signal, after, random = Math.random }: FollowOptions = {},
): AsyncGenerator<RunEvent, void> {
  const path = `/api/workflows/${encodeURIComponent(run)}/events`;
  let [last, emptyTries] = ["", 0];
  for (;;) {
    const headers = last === "" ? {} : { "last-event-id": last };
    const response = await client.send(path, { headers, ...(signal && { signal }) });
    if (response.status === 204) return;
    emptyTries += 1;
    for await (const event of eventsOf(response, signal)) {
      emptyTries = 0;
      last = event.id ?? last;
      yield event;
      if (event.event === "end") return;
    }
    if (emptyTries === EMPTY_TRIES_MAX) {
      throw new NoAnswerError(client.url, new Error("the event stream broke off repeatedly"));
    }
    await pause(reconnectPauseMs(emptyTries, random), signal, after);
    signal?.throwIfAborted();
  }
}

/** Returns a random time in the upper half: the clients of a server that restarts must not all return at once. */
function reconnectPauseMs(emptyTries: number, random: () => number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** emptyTries, PAUSE_MAX_MS) * (0.5 + random() / 2);
}

async function* eventsOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<RunEvent> {
  let rest = "";
  for await (const text of textsOf(response, signal)) {
    const messages = (rest + text).split("\n\n");
    rest = messages.pop()!;
    for (const message of messages) {
      const event = maybeEvent(message);
      if (event) yield event;
    }
  }
}

/** Yields the text of the stream, and ends when the connection breaks. An abort by the caller is thrown. */
async function* textsOf({ body }: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const next = await reader.read().catch((error: unknown) => {
        if (signal?.aborted) throw error;
        return { done: true, value: undefined } as const;
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // A caller that stops early closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}

/** Parses an event. Returns undefined for comments, which only keep the connection alive. */
function maybeEvent(message: string): RunEvent | undefined {
  const fields = new Map(
    message.split("\n").map((line) => {
      const [name, ...value] = line.split(": ");
      return [name!, value.join(": ")] as const;
    }),
  );
  const [event, id, data] = ["event", "id", "data"].map((name) => fields.get(name));
  if (event === undefined || data === undefined) return undefined;
  return { event, ...(id !== undefined && { id }), data: JSON.parse(data) as unknown } as RunEvent;
}
