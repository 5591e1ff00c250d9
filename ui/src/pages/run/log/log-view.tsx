import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { Job } from "../../../api/run-asks.ts";
import { Trouble } from "../../../parts/notes.tsx";
import { lineOfError } from "./find-in-log.ts";
import { LogBar } from "./log-bar.tsx";
import { LogLine } from "./log-line.tsx";
import { useJobLog } from "./use-job-log.ts";

/** A million lines of this height fit into the tallest element that every browser shows. */
const LINE_PX = 17;

/** The output of one job, as it is printed. Give it the job as its key. */
export function LogView({ run, job }: { readonly run: string; readonly job: Job }) {
  const log = useJobLog(run, job);
  const [search, setSearch] = useSearchParams();
  const chosen = Number(search.get("line") ?? 0) - 1;
  const [isFollowing, follow] = useState(chosen < 0);
  const [marked, mark] = useState(chosen);
  const box = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: log.text.lines,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  const goTo = (line: number) => {
    follow(false);
    mark(line);
    lines.scrollToIndex(line, { align: "center" });
  };
  const choose = (line: number) => {
    mark(line);
    setSearch((before) => ({ ...Object.fromEntries(before), job: job.key, line: String(line + 1) }), {
      replace: true,
    });
  };
  const last = log.text.lines - 1;
  useEffect(() => {
    if (isFollowing && last >= 0) lines.scrollToIndex(last, { align: "end" });
  }, [isFollowing, last, lines]);
  const isReady = log.isComplete || last >= chosen;
  useEffect(() => {
    // A reader comes for one line: the one in the address, or the one that says what went wrong.
    const wanted = chosen >= 0 ? chosen : job.status === "failed" ? lineOfError(log.text) : undefined;
    if (isReady && wanted !== undefined) goTo(wanted);
    // Only once, when the line is there.
  }, [isReady, log.isComplete]);
  return (
    <section aria-label={`Log of ${job.step}`} className="flex min-h-0 flex-1 flex-col">
      <LogBar run={run} job={job} log={log} isFollowing={isFollowing} onFollow={follow} onGoTo={goTo} />
      {log.error !== undefined && <Trouble error={log.error} />}
      <div
        ref={box}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Output"
        onWheel={(event) => event.deltaY < 0 && follow(false)}
        className="min-h-48 flex-1 overflow-auto overscroll-contain py-2 font-mono text-xs leading-[17px]"
      >
        {log.isComplete && last < 0 && <p className="px-4 py-6 text-muted">It printed nothing.</p>}
        <div className="relative w-max min-w-full" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map(({ index, start }) => (
            <LogLine
              key={index}
              index={index}
              top={start}
              text={log.text.line(index)}
              isMarked={index === marked}
              onChoose={choose}
            />
          ))}
        </div>
      </div>
    </section>
  );
}
