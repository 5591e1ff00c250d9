import { useEffect, useState } from "react";
import { fullTime, shortTime, timeBetween, timeOf } from "./times.ts";

/** A time of the API in the reader's zone. The title has it in full. */
export function Time({ at }: { readonly at: string }) {
  const ms = timeOf(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)} className="whitespace-nowrap">
      {shortTime(ms, Date.now())}
    </time>
  );
}

/** Shows the time between two moments. It keeps counting until there is an end. */
export function Duration({ from, to }: { readonly from: string; readonly to: string | null | undefined }) {
  const nowMs = useNow(to ? undefined : 1000);
  const text = timeBetween(timeOf(from), to ? timeOf(to) : nowMs);
  return <span className="whitespace-nowrap tabular-nums">{text}</span>;
}

/** Returns the time of day, again after each interval. */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
