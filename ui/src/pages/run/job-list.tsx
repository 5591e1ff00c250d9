import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import type { Job } from "../../api/run-asks.ts";
import { Button } from "../../parts/button.tsx";
import { StatusIcon } from "../../parts/status-mark.tsx";
import { Took } from "../../parts/time.tsx";
import { counted } from "../../parts/words.ts";
import { JobName } from "./job-name.tsx";
import { memoryText } from "./memory-text.ts";

const ROW_PX = 44;

interface JobListProps {
  readonly jobs: readonly Job[];
  readonly total: number;
  readonly shown: Job | undefined;
  readonly onChoose: (job: Job) => void;
  readonly onMore: (() => void) | undefined;
  /** The filter of the list. */
  readonly children: ReactNode;
}

export function JobList({ jobs, total, shown, onChoose, onMore, children }: JobListProps) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: jobs.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  return (
    <nav
      aria-label="Jobs"
      className="flex min-h-0 flex-col rounded-lg border border-line bg-surface lg:h-[calc(100dvh-var(--above))] lg:min-h-96"
    >
      {children}
      <p role="status" className="border-b border-line px-3 py-2 text-xs font-medium text-muted">
        {total === 0 ? "No job matches." : counted(total, "job")}
      </p>
      <div ref={box} className="max-h-48 flex-1 overflow-auto lg:max-h-none">
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const job = jobs[index]!;
            return (
              <li key={job.id} className="absolute inset-x-0" style={{ transform: `translateY(${start}px)` }}>
                <JobRow job={job} isShown={job.id === shown?.id} onChoose={onChoose} />
              </li>
            );
          })}
        </ul>
      </div>
      {onMore && (
        <Button look="quiet" className="m-1" onClick={onMore}>
          Show more
        </Button>
      )}
    </nav>
  );
}

interface JobRowProps {
  readonly job: Job;
  readonly isShown: boolean;
  readonly onChoose: (job: Job) => void;
}

function JobRow({ job, isShown, onChoose }: JobRowProps) {
  return (
    <button
      type="button"
      aria-current={isShown ? "true" : undefined}
      onClick={() => onChoose(job)}
      className={`flex h-11 w-full items-center gap-2 px-3 text-left ${isShown ? "bg-tint" : "hover:bg-raised"}`}
    >
      <StatusIcon status={job.status} />
      <span className="sr-only">{job.status}</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate text-sm font-medium">
          <JobName job={job} />
        </span>
        <span className="block truncate font-mono text-xs text-muted">{job.display_command}</span>
      </span>
      {job.started_at && (
        <span className="shrink-0 text-right text-xs text-muted tabular-nums">
          <Took from={job.started_at} wallMs={job.usage.wall_ms} />
          <span className="block">{memoryText(job.usage)}</span>
        </span>
      )}
    </button>
  );
}
