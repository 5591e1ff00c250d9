import type { operations } from "reprise-sdk";

export type StatusRecord = operations["get-status"]["responses"][200]["content"]["application/json"];

export const STATUS_HEAD = ["NAME", "STATUS", "JOBS", "CREATED", "STARTED", "ENDED"];

/** Times as the server has them, in UTC. */
export function statusRow({ name, status, created, progress }: StatusRecord): string[] {
  const ended = progress.run_finished_at ?? progress.run_stopped_at;
  return [name, status, jobsOf(progress), created, progress.run_started_at ?? "-", ended ?? "-"];
}

/** `3/5`, and how many have failed if any have. */
export function jobsOf({ total, finished, failed }: StatusRecord["progress"]): string {
  if (total.total === 0) return "-";
  return `${finished.total}/${total.total}${failed.total > 0 ? `, ${failed.total} failed` : ""}`;
}

export function hasEnded(status: StatusRecord["status"]): boolean {
  return ["finished", "failed", "stopped", "deleted"].includes(status);
}
