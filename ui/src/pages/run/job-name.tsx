import type { Job } from "../../api/run-asks.ts";

interface JobNameProps {
  readonly job: Pick<Job, "label" | "attempt">;
}

/** Names a job: its step, its tasks if the step is scattered, and its attempt if the command ran before. */
export function JobName({ job: { label, attempt } }: JobNameProps) {
  return (
    <>
      {label}
      {attempt > 1 && <span className="text-muted"> · attempt {attempt}</span>}
    </>
  );
}
