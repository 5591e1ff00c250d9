import { useEffect, useState } from "react";
import { duration, fullTime, shortTime, timeBetween, timeOf } from "./times.ts";

/** A time of the API in the reader's zone. The title has it in full. */
export function Time({ at }: { readonly at: string }) {
  const ms = timeOf(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={fullTime(ms)} className="whitespace-nowrap">
      {shortTime(ms, Date.now())}
    </time>
  );
}

interface TookProps {
  readonly from: string;
  /** The server's own measurement. Absent until the end. */
  readonly wallMs: number | null | undefined;
}

/** Shows how long something took as the server measured it, and counts until then. */
export function Took({ from, wallMs }: TookProps) {
  const hasEnded = typeof wallMs === "number";
  const nowMs = useNow(hasEnded ? undefined : 1000);
  const text = hasEnded ? duration(wallMs) : timeBetween(timeOf(from), nowMs);
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
