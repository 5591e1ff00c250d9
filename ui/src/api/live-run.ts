import { queryOptions, skipToken, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { followRun, type RunEvent } from "reprise-sdk";
import { run, type RunRecord } from "./run-asks.ts";
import { queryCache } from "./cache.ts";
import { client, isRefusal } from "./client.ts";
import { setContact } from "./contact.ts";

/** How often the page asks for what has changed: a run of 10,000 jobs has many events in a second. */
const LOOK_EVERY_MS = 1000;
/** The first look shows the history that a run has already. */
const FIRST_LOOK_MS = 100;
const RECONNECT_MS = 1000;

/** The history of a run: the ends of its jobs and the lines of its own log, in order. `useLiveRun` collects it. */
export const history = (id: string) =>
  queryOptions<readonly RunEvent[]>({ queryKey: ["history", id], queryFn: skipToken });

/** Keeps everything that the page shows of a run up to date by the run's events, until it has ended. */
export function useLiveRun(id: string): void {
  // Keeps the history as long as the page is open, whichever view is shown.
  useQuery({ ...history(id), notifyOnChangeProps: [] });
  useEffect(() => {
    const closing = new AbortController();
    void listen(id, closing.signal);
    return () => closing.abort();
  }, [id]);
}

async function listen(id: string, signal: AbortSignal): Promise<void> {
  const news = newsOf(id);
  while (!signal.aborted) {
    try {
      for await (const event of followRun(client, id, { signal })) {
        setContact("reached");
        news.hear(event);
      }
      return;
    } catch (error) {
      // A refusal is shown by the page itself, which asks for the same run.
      if (signal.aborted || isRefusal(error)) return;
      setContact("away");
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

function newsOf(id: string) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_LOOK_MS;
  // A second connection may begin again: what has an id is known by it.
  const known = new Map<string, RunEvent>();
  const look = () => {
    timer = undefined;
    queryCache.setQueryData(history(id).queryKey, [...known.values()]);
    void queryCache.invalidateQueries({ queryKey: ["run", id] });
    void queryCache.invalidateQueries({ queryKey: ["runs"] });
  };
  return {
    hear(event: RunEvent) {
      if (event.event === "status") {
        const { status, waiting_for: waiting } = event.data;
        queryCache.setQueryData<RunRecord>(run(id).queryKey, (before) => {
          const { waiting_for: _, ...rest } = before ?? {};
          return before && { ...(rest as RunRecord), status, ...(waiting && { waiting_for: waiting }) };
        });
      }
      if (event.id !== undefined) known.set(event.id, event);
      timer ??= setTimeout(look, waitMs);
      waitMs = LOOK_EVERY_MS;
    },
  };
}
