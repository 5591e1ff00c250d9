import { NoAnswerError } from "./errors.ts";
import type { RepriseClient } from "./index.ts";
import type { components } from "./schema.ts";

export type RunEvent = components["schemas"]["RunEvent"];

export interface FollowOptions {
  readonly signal?: AbortSignal;
}

/** How often in a row the connection may break before anything came over it. */
const EMPTY_TRIES_MAX = 5;

/**
 * Yields what happens in a run, as it happens, from its beginning to its `end`. A connection that breaks is made again,
 * and the history continues behind the last event that came.
 */
export async function* followRun(
  client: RepriseClient,
  run: string,
  { signal }: FollowOptions = {},
): AsyncGenerator<RunEvent, void> {
  const path = `/api/workflows/${encodeURIComponent(run)}/events`;
  let [last, emptyTries] = ["", 0];
  while (emptyTries < EMPTY_TRIES_MAX) {
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
  }
  throw new NoAnswerError(client.url, new Error("the stream of events broke off again and again"));
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

/** Ends where the connection breaks. Only a caller that has aborted is told. */
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
    // A caller that has heard enough closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}

/** Nothing for comments, which only show that the connection is alive. */
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
