import { estimate } from "reprise-sdk";
import type { RunRecord } from "../../api/run-asks.ts";
import { useNow } from "../../parts/time.tsx";
import { duration } from "../../parts/times.ts";
import { counted } from "../../parts/words.ts";

/** The estimate is renewed while no job ends, because the pace falls. */
const RENEW_MS = 5000;

interface RunPaceProps {
  readonly run: RunRecord;
  /** Time at which the server's last measurement of the pace came. */
  readonly heardMs: number;
}

/** Says how fast the jobs of a large run end, and how long the planned ones take at this pace. */
export function RunPace({ run: { pace, progress }, heardMs }: RunPaceProps) {
  const nowMs = useNow(pace ? RENEW_MS : undefined);
  if (!pace) return null;
  const counts = {
    total: progress.total.total,
    finished: progress.finished.total,
    failed: progress.failed.total,
  };
  const ageMs = Math.max(0, nowMs - heardMs);
  const { jobsPerMinute, remaining, leftMs } = estimate({ ...counts, pace, ageMs });
  const left =
    remaining > 0 ? ` About ${duration(leftMs)} left for ${counted(remaining, "planned job")}.` : "";
  return (
    <p className="-mt-2 mb-3 text-sm text-muted tabular-nums">{`${jobsPerMinute} jobs a minute.${left}`}</p>
  );
}
