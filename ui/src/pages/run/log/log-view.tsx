import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { Job } from "../../../api/run-asks.ts";
import { Trouble } from "../../../parts/notes.tsx";
import { lineOfError } from "./find-in-log.ts";
import { LogBar } from "./log-bar.tsx";
import { BLOCK_PX, LINES_PER_BLOCK, LogBlock } from "./log-block.tsx";
import { LINE_PX } from "./log-line.tsx";
import { useJobLog } from "./use-job-log.ts";

/** Blocks that are drawn again for others, so that scrolling makes no new elements: more than any screen shows. */
const BLOCKS_DRAWN = 32;

/** The output of one job, as it is printed. Give it the job as its key. */
export function LogView({ run, job }: { readonly run: string; readonly job: Job }) {
  const log = useJobLog(run, job);
  const [search, setSearch] = useSearchParams();
  const chosen = Number(search.get("line") ?? 0) - 1;
  const [isFollowing, follow] = useState(chosen < 0);
  const [marked, mark] = useState(chosen);
  const box = useRef<HTMLDivElement>(null);
  const blocks = useVirtualizer({
    count: Math.ceil(log.text.lines / LINES_PER_BLOCK),
    getScrollElement: () => box.current,
    estimateSize: () => BLOCK_PX,
    overscan: 1,
  });
  const end = { lines: log.text.lines, bytes: log.text.bytes };
  const goTo = (line: number) => {
    follow(false);
    mark(line);
    blocks.scrollToOffset(Math.max(0, line * LINE_PX - (box.current?.clientHeight ?? 0) / 2));
  };
  const choose = (line: number) => {
    mark(line);
    setSearch((before) => ({ ...Object.fromEntries(before), job: job.key, line: String(line + 1) }), {
      replace: true,
    });
  };
  const last = log.text.lines - 1;
  useEffect(() => {
    if (isFollowing && last >= 0) blocks.scrollToOffset(end.lines * LINE_PX);
  }, [isFollowing, last, blocks]);
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
        <div className="relative w-max min-w-full" style={{ height: end.lines * LINE_PX }}>
          {blocks.getVirtualItems().map(({ index, start }) => (
            <LogBlock
              key={index % BLOCKS_DRAWN}
              text={log.text}
              index={index}
              top={start}
              end={end}
              marked={marked}
              onChoose={choose}
            />
          ))}
        </div>
      </div>
    </section>
  );
}
