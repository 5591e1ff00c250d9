import type { Failure, RunRecord } from "../../api/run-asks.ts";
import { duration } from "../../parts/times.ts";
import { counted } from "../../parts/words.ts";

/** Returns a sentence about the progress or the end of a run. */
export function sentenceOf(run: RunRecord, failure: Failure | null | undefined): string {
  const { progress, waiting_for: waiting } = run;
  const [total, finished] = [progress.total.total, progress.finished.total];
  if (waiting) return waiting;
  switch (run.status) {
    case "created":
      return "Not started yet.";
    case "queued":
      return "Waiting for its turn.";
    case "pending":
      return "About to begin.";
    case "running": {
      const job = progress.current_label;
      return `Running${job ? ` ${job}` : ""}: ${finished} of ${counted(total, "job")} finished.`;
    }
    case "finished":
      return `Finished: ${counted(total, "job")}${took(run)}.`;
    case "failed":
      return failure?.sentence ?? "Failed.";
    case "stopped":
      return `Stopped when ${finished} of ${counted(total, "job")} had finished${took(run)}.`;
    case "deleted":
      return "Deleted.";
  }
}

function took({ progress: { wall_ms: wallMs } }: RunRecord): string {
  return typeof wallMs === "number" ? ` in ${duration(wallMs)}` : "";
}
