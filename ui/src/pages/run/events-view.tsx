import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { Link } from "wouter";
import { history } from "../../api/live-run.ts";
import { Empty } from "../../parts/notes.tsx";
import { StatusIcon } from "../../parts/status-mark.tsx";
import { fullTime, timeOf } from "../../parts/times.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { happeningsOf, type Happening } from "./happenings.ts";

const ROW_PX = 28;

/** Lists the events of a run in order: the ends of its jobs, and the lines of its engine. */
export function EventsView({ id }: { readonly id: string }) {
  const { data } = useQuery(history(id));
  const happenings = useMemo(() => happeningsOf(data ?? []), [data]);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: happenings.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  if (!data) return <Waiting />;
  if (happenings.length === 0) return <Empty title="Nothing has happened yet." />;
  return (
    <div
      ref={box}
      tabIndex={0}
      role="group"
      aria-label="Events"
      className="max-h-[calc(100dvh-var(--above))] min-h-16 overflow-auto rounded-lg border border-line bg-surface py-1"
    >
      <ul className="relative min-w-max" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <li
            key={index}
            className="absolute left-0 flex h-7 min-w-full items-center gap-3 px-4 whitespace-nowrap hover:bg-raised"
            style={{ transform: `translateY(${start}px)` }}
          >
            <HappeningRow run={id} happening={happenings[index]!} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });
const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, {
  dateStyle: "short",
  timeStyle: "medium",
  hourCycle: "h23",
});

function timeText(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? CLOCK : DAY_AND_CLOCK).format(ms);
}

function HappeningRow({ run, happening }: { readonly run: string; readonly happening: Happening }) {
  const { at, text, job, isError } = happening;
  return (
    <>
      <time
        dateTime={at}
        title={fullTime(timeOf(at))}
        className="min-w-20 shrink-0 text-xs text-muted tabular-nums"
      >
        {timeText(timeOf(at))}
      </time>
      {job ? (
        <>
          <StatusIcon status={job.status} />
          <Link href={`/runs/${run}?job=${encodeURIComponent(job.key)}`} className="text-sm hover:underline">
            {text}
          </Link>
        </>
      ) : (
        <span className={`font-mono text-xs ${isError ? "text-bad" : ""}`}>{text}</span>
      )}
    </>
  );
}
