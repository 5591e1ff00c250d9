import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { graph, jobs } from "../../../api/run-asks.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty, Trouble } from "../../../parts/notes.tsx";
import { useNow } from "../../../parts/time.tsx";
import { duration } from "../../../parts/times.ts";
import { Waiting } from "../../../parts/waiting.tsx";
import { LoadChart } from "./load-chart.tsx";
import { criticalPath, spansOf } from "./spans.ts";
import { TimelineRow } from "./timeline-row.tsx";

const ROW_PX = 32;

/** Draws the waiting time, working time and usage of each job, and marks the critical path. */
export function TimelineView({ id, isLive }: { readonly id: string; readonly isLive: boolean }) {
  const query = useInfiniteQuery(jobs(id));
  const { data: drawing } = useQuery(graph(id));
  const now = useNow(isLive ? 1000 : undefined);
  const all = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const { spans, beginMs, totalMs } = useMemo(() => spansOf(all, now), [all, now]);
  const critical = useMemo(() => criticalPath(all, drawing?.edges ?? []), [all, drawing]);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: spans.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  if (query.error) return <Trouble error={query.error} />;
  if (query.isPending) return <Waiting />;
  if (all.length === 0) return <Empty title="No job has started yet." />;
  return (
    <section aria-label="Timeline" className="rounded-lg border border-line bg-surface">
      <Scale totalMs={totalMs} />
      <LoadChart jobs={all} beginMs={beginMs} totalMs={totalMs} />
      <div
        ref={box}
        tabIndex={0}
        aria-label="Jobs by time"
        role="group"
        className="max-h-[calc(100dvh-var(--above)-7.5rem)] min-h-16 overflow-auto"
      >
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const span = spans[index]!;
            return (
              <li
                key={span.job.id}
                className="absolute inset-x-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <TimelineRow run={id} span={span} isCritical={critical.has(span.job.id)} />
              </li>
            );
          })}
        </ul>
      </div>
      <Legend />
      {query.hasNextPage && (
        <Button look="quiet" className="m-2" onClick={() => void query.fetchNextPage()}>
          Show more jobs
        </Button>
      )}
    </section>
  );
}

const MARKS = [0, 0.25, 0.5, 0.75, 1];

function Scale({ totalMs }: { readonly totalMs: number }) {
  return (
    <div className="flex border-b border-line py-2 pr-4 text-xs text-muted">
      <span className="w-36 shrink-0 px-3 sm:w-56">Job</span>
      <span className="relative h-4 flex-1">
        {MARKS.map((mark) => (
          <span
            key={mark}
            className={`absolute whitespace-nowrap ${mark === 1 ? "-translate-x-full" : mark > 0 ? "hidden -translate-x-1/2 sm:block" : ""}`}
            style={{ left: `${mark * 100}%` }}
          >
            {mark === 0 ? "start" : duration(totalMs * mark)}
          </span>
        ))}
      </span>
    </div>
  );
}

function Legend() {
  return (
    <p className="flex flex-wrap items-center gap-x-5 gap-y-1 border-t border-line px-3 py-2 text-xs text-muted">
      <span className="flex items-center gap-1.5">
        <span className="h-2.5 w-5 rounded-sm border border-dashed border-muted" /> waited
      </span>
      <span className="flex items-center gap-1.5">
        <span className="h-2.5 w-5 rounded-sm bg-good" /> worked
      </span>
      <span className="flex items-center gap-1.5">
        <span className="h-2.5 w-5 rounded-sm bg-good ring-2 ring-accent" /> decided how long the run took
      </span>
    </p>
  );
}
