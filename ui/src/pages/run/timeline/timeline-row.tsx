import { Link } from "wouter";
import { StatusIcon } from "../../../parts/status-mark.tsx";
import { duration } from "../../../parts/times.ts";
import { JobName } from "../job-name.tsx";
import { memoryText } from "../memory-text.ts";
import type { Span } from "./spans.ts";

const BARS: Readonly<Record<string, string>> = {
  finished: "bg-good",
  failed: "bg-bad",
  running: "bg-live",
  stopped: "bg-halt",
};

const LABELS = {
  after: "bg-surface text-muted",
  before: "-translate-x-full bg-surface text-muted",
  inside: "z-10 text-surface",
} as const;

interface TimelineRowProps {
  readonly run: string;
  readonly span: Span;
  readonly isCritical: boolean;
}

export function TimelineRow({ run, span, isCritical }: TimelineRowProps) {
  const { job, waitShare, workShare, workMs } = span;
  const [from, length] = workShare;
  // The label follows the bar, or precedes it near the end. If a bar leaves no room, the label is inside.
  const isLate = from + length > 0.8;
  const isInside = isLate && from < 0.25;
  const memory = memoryText(job.usage);
  return (
    <Link
      href={`/runs/${run}?job=${encodeURIComponent(job.key)}`}
      title={job.waiting_for ?? job.command}
      className="flex h-8 items-center pr-4 hover:bg-raised"
    >
      <span className="flex w-36 shrink-0 items-center gap-2 px-3 sm:w-56">
        <StatusIcon status={job.status} />
        <span className="sr-only">{job.status}</span>
        <span className="truncate text-sm">
          <JobName job={job} />
        </span>
        {isCritical && <span className="sr-only">, decided how long the run took</span>}
      </span>
      <span className="relative h-5 flex-1">
        <span
          aria-hidden
          className="absolute top-1.5 h-2 rounded-sm border border-dashed border-muted/60"
          style={place(waitShare)}
        />
        <span
          className={`absolute top-0.5 px-1.5 text-xs whitespace-nowrap ${LABELS[isInside ? "inside" : isLate ? "before" : "after"]}`}
          style={{ left: `${100 * (isLate ? from : from + length)}%` }}
        >
          {job.started_at && duration(workMs)}
          {memory !== undefined && <span className="hidden sm:inline"> · {memory}</span>}
        </span>
        {/* After the label in the document, because the label covers the end of the waiting time. */}
        <span
          aria-hidden
          className={`absolute top-0.5 h-4 min-w-1 rounded-sm ${BARS[job.status] ?? "bg-wait"} ${isCritical ? "ring-2 ring-accent" : ""}`}
          style={place(workShare)}
        />
      </span>
    </Link>
  );
}

function place([from, length]: readonly [number, number]) {
  return { left: `${from * 100}%`, width: `${length * 100}%` };
}
