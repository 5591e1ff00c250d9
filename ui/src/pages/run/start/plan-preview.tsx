import { useQuery } from "@tanstack/react-query";
import { isRefusal } from "../../../api/client.ts";
import { restartPlan } from "../../../api/run-asks.ts";
import type { StartValues } from "../../../api/changes.ts";
import { Trouble } from "../../../parts/notes.tsx";
import { Waiting } from "../../../parts/waiting.tsx";
import { JobName } from "../job-name.tsx";

const VERDICTS = {
  "taken-over": ["taken over", "text-good"],
  runs: ["runs", "text-live"],
  "left-out": ["left out", "text-muted"],
} as const;

/** Shows which jobs a restart reuses, and for each remaining job the changed fact. */
export function PlanPreview({ id, values }: { readonly id: string; readonly values: StartValues }) {
  const { data, error } = useQuery(restartPlan(id, values));
  // Some languages reuse no jobs, or decide later: the sentence explains.
  if (isRefusal(error) && error.status === 501) return <p className="text-muted">{error.message}</p>;
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting lines={3} />;
  return (
    <section aria-label="What will run" aria-live="polite" className="space-y-2">
      <p className="font-medium">
        {data.taken_over.toLocaleString()} taken over, {data.runs.toLocaleString()} to run
      </p>
      {data.warning && <p className="text-wait">{data.warning}</p>}
      <ul className="max-h-64 divide-y divide-line overflow-auto rounded-md border border-line text-sm">
        {data.jobs.map((job) => {
          const [word, color] = VERDICTS[job.verdict];
          return (
            <li key={job.key} className="flex gap-3 px-3 py-1.5">
              <span className={`w-20 shrink-0 ${color}`}>{word}</span>
              <span className="min-w-0 flex-1">
                <span className="font-medium">
                  <JobName job={{ label: job.label, attempt: 1 }} />
                </span>
                <span className="block text-muted wrap-anywhere">{job.reason}</span>
                {job.differences.map(({ field, before, now }) => (
                  <span key={field} className="block font-mono text-xs wrap-anywhere">
                    {field}: <del className="text-bad">{shown(before)}</del>{" "}
                    <ins className="text-good no-underline">{shown(now)}</ins>
                  </span>
                ))}
              </span>
            </li>
          );
        })}
      </ul>
      {!data.complete && (
        <p className="text-sm text-muted">Jobs that depend on these are decided when their turn comes.</p>
      )}
    </section>
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
