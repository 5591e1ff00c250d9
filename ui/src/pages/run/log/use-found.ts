import { useEffect, useState } from "react";
import { linesWith } from "./find-in-log.ts";
import type { JobLog } from "./use-job-log.ts";

/** Time slice of the search, which leaves time for keys and frames. */
const SLICE_MS = 8;
const NONE: readonly number[] = [];

/** The lines of a log that contain a text. */
export interface Found {
  readonly lines: readonly number[];
  /** True if the search has reached the end of the log. */
  readonly isComplete: boolean;
}

/** Searches the log in slices of time, and again once the log is complete. */
export function useFound(log: JobLog, text: string): Found {
  const [found, setFound] = useState<Found>({ lines: NONE, isComplete: true });
  useEffect(() => {
    const parts = linesWith(log.text, text);
    const lines: number[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const search = () => {
      for (const endMs = performance.now() + SLICE_MS; ;) {
        const { done, value } = parts.next();
        if (done) return setFound({ lines, isComplete: true });
        for (const line of value) lines.push(line);
        if (performance.now() > endMs) break;
      }
      setFound({ lines: [...lines], isComplete: false });
      timer = setTimeout(search);
    };
    search();
    return () => clearTimeout(timer);
  }, [log.text, log.isComplete, text]);
  return found;
}
