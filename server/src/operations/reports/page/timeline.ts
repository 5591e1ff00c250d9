import type { JobTotals } from "#operations/reports/step-totals";
import { line, scrolling } from "#operations/reports/page/parts";
import { duration } from "#plumbing/text/duration";
import { type Markup, markup } from "#plumbing/text/markup";

/** Above this number of jobs, a bar stands for a step. */
const JOBS_MAX = 40;
const BARS_MAX = 60;
const NAME_MAX = 34;
const [WIDTH, NAMES, ROW, TOP] = [900, 250, 20, 24];
const MARKS = 4;

interface Bar {
  readonly name: string;
  readonly status: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Draws a bar for each job, or for each step of a large run. Undefined if no job has started. */
export function maybeTimeline(totals: JobTotals, nowMs: number): Markup | undefined {
  const all = totals.count > JOBS_MAX ? stepBars(totals, nowMs) : jobBars(totals, nowMs);
  if (all.length === 0) return undefined;
  const bars = all.slice(0, BARS_MAX);
  const fromMs = Math.min(...bars.map((bar) => bar.fromMs));
  const spanMs = Math.max(1, Math.max(...bars.map((bar) => bar.untilMs)) - fromMs);
  const height = TOP + bars.length * ROW + 6;
  const at = (ms: number) => NAMES + ((ms - fromMs) / spanMs) * (WIDTH - NAMES - 70);
  const what = totals.count > JOBS_MAX ? "steps" : "jobs";
  return markup`${scrolling(
    "Timeline",
    markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Timeline of ${bars.length} ${what} over ${duration(spanMs)}. The table of ${what} has the same times.">
      ${marksOf(fromMs, spanMs, at, height)} ${bars.map((bar, index) => barOf(bar, TOP + index * ROW, at))}
    </svg>`,
  )}
  ${all.length > bars.length ? markup`<p class="muted">${all.length - bars.length} more ${what} are not drawn.</p>` : ""}`;
}

function jobBars({ jobs }: JobTotals, nowMs: number): Bar[] {
  return jobs.flatMap(({ label, node, status, startedAtMs, finishedAtMs, takenFrom }) =>
    startedAtMs === null || takenFrom !== null
      ? []
      : [
          {
            name: label || node,
            status,
            fromMs: startedAtMs,
            untilMs: Math.max(startedAtMs, finishedAtMs ?? nowMs),
          },
        ],
  );
}

function stepBars({ steps }: JobTotals, nowMs: number): Bar[] {
  return steps.flatMap(({ step, failed, startedAtMs, finishedAtMs }) =>
    startedAtMs === undefined
      ? []
      : [
          {
            name: step,
            status: failed > 0 ? "failed" : "finished",
            fromMs: startedAtMs,
            untilMs: Math.max(startedAtMs, finishedAtMs ?? nowMs),
          },
        ],
  );
}

function marksOf(fromMs: number, spanMs: number, at: (ms: number) => number, height: number): Markup[] {
  return Array.from({ length: MARKS + 1 }, (_, index) => {
    const ms = (spanMs * index) / MARKS;
    const x = at(fromMs + ms).toFixed(1);
    return markup`<path class="grid" d="M${x} ${TOP - 6} V${height}" /><text class="label" x="${x}" y="12" text-anchor="middle">${duration(ms)}</text>`;
  });
}

function barOf({ name, status, fromMs, untilMs }: Bar, y: number, at: (ms: number) => number): Markup {
  const [x, end] = [at(fromMs), at(untilMs)];
  const width = Math.max(2, end - x).toFixed(1);
  return markup`<g class="${status}">
    <text x="0" y="${y + 14}">${line(name, NAME_MAX)}</text>
    <rect class="bar" x="${x.toFixed(1)}" y="${y + 4}" width="${width}" height="12" rx="2" />
    <text class="label" x="${(Math.max(x + 2, end) + 6).toFixed(1)}" y="${y + 14}">${duration(untilMs - fromMs)}</text>
  </g>`;
}
