import { queryOptions, skipToken, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { followRun, type RunEvent } from "reprise-sdk";
import { client, isRefusal } from "./client.ts";
import { setContact } from "./contact.ts";
import { runNews } from "./run-news.ts";

const RECONNECT_MS = 1000;

/**
 * The history of a run: the ends of its jobs and the lines of its own log, in order. Filled by `useLiveRun`.
 */
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
  const news = runNews(id, history(id).queryKey);
  signal.addEventListener("abort", news.close);
  while (!signal.aborted) {
    try {
      for await (const event of followRun(client, id, { signal })) {
        setContact("reached");
        news.hear(event);
      }
      return;
    } catch (error) {
      // The page itself shows refusals, because it requests the same run.
      if (signal.aborted || isRefusal(error)) return;
      setContact("away");
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
