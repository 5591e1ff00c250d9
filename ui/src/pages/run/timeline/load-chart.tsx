import type { Job } from "../../../api/run-asks.ts";
import { bytesText } from "../../../parts/times.ts";
import { loadOf } from "./load.ts";

const SLOTS = 160;
const HEIGHT = 28;

interface LoadChartProps {
  readonly jobs: readonly Job[];
  readonly beginMs: number;
  readonly totalMs: number;
}

/** Draws the processors, the GPUs and their memory that the jobs used, over the same time as the rows below. */
export function LoadChart({ jobs, beginMs, totalMs }: LoadChartProps) {
  const { cores, bytes, gpus, gpuBytes } = loadOf(jobs, { beginMs, totalMs }, SLOTS);
  if ([...cores, ...bytes, ...gpus, ...gpuBytes].every((value) => value === 0)) return null;
  return (
    <div className="border-b border-line py-2">
      <Curve name="Processors" values={cores} textOf={countText} />
      <Curve name="Memory" values={bytes} textOf={bytesText} />
      <Curve name="GPUs" values={gpus} textOf={countText} />
      <Curve name="GPU memory" values={gpuBytes} textOf={bytesText} />
    </div>
  );
}

interface CurveProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly textOf: (most: number) => string;
}

function countText(most: number): string {
  return most.toFixed(most < 0.1 ? 2 : 1);
}

function Curve({ name, values, textOf }: CurveProps) {
  const most = Math.max(...values);
  if (most === 0) return null;
  const text = textOf(most);
  return (
    <div className="flex items-end py-0.5 pr-4 text-xs text-muted">
      <span className="flex w-36 shrink-0 flex-wrap justify-between gap-x-2 px-3 sm:w-56">
        <span>{name}</span>
        <span className="tabular-nums">up to {text}</span>
      </span>
      <svg
        role="img"
        aria-label={`${name} in use over time, up to ${text}`}
        viewBox={`0 0 ${SLOTS} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-7 min-w-0 flex-1 text-live"
      >
        <path d={areaOf(values, most)} fill="currentColor" fillOpacity="0.35" />
      </svg>
    </div>
  );
}

/** The outline of steps, from the bottom left to the bottom right. */
function areaOf(values: readonly number[], most: number): string {
  const steps = values.map((value) => `V${(HEIGHT * (1 - value / most)).toFixed(2)}h1`);
  return `M0 ${HEIGHT}${steps.join("")}V${HEIGHT}Z`;
}
