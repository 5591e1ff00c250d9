import type { Job } from "../../api/run-asks.ts";
import { tasksOf } from "./tasks-of.ts";

interface JobNameProps {
  readonly job: Pick<Job, "step" | "key" | "node" | "attempt">;
}

/** Names a job: its step, its tasks if the step is scattered, and its attempt if the command ran before. */
export function JobName({ job }: JobNameProps) {
  const parts = [
    ...tasksOf(job).map((task) => `task ${task}`),
    ...(job.attempt > 1 ? [`attempt ${job.attempt}`] : []),
  ];
  return (
    <>
      {job.step}
      {parts.length > 0 && <span className="text-muted"> · {parts.join(" · ")}</span>}
    </>
  );
}
