import { useCallback, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import type { Job } from "../../../api/run-asks.ts";
import { Trouble } from "../../../parts/notes.tsx";
import { lineOfError } from "./find-in-log.ts";
import { LogBar } from "./log-bar.tsx";
import { type Kept, LogLines } from "./log-lines.tsx";
import { useJobLog } from "./use-job-log.ts";

/** Shows the live output of one job. The React key must be the job. */
export function LogView({ run, job }: { readonly run: string; readonly job: Job }) {
  const log = useJobLog(run, job);
  const [search, setSearch] = useSearchParams();
  const chosen = Number(search.get("line") ?? 0) - 1;
  const [kept, keep] = useState<Kept | undefined>(chosen < 0 ? "end" : chosen);
  const [marked, mark] = useState(chosen);
  const error = useMemo(
    () => (job.status === "failed" ? lineOfError(log.text) : undefined),
    [job.status, log.text, log.version],
  );
  const goTo = (line: number) => {
    mark(line);
    keep(line);
  };
  const choose = useCallback(
    (line: number) => {
      mark(line);
      setSearch((before) => ({ ...Object.fromEntries(before), job: job.key, line: String(line + 1) }), {
        replace: true,
      });
    },
    [setSearch, job.key],
  );
  useEffect(() => {
    // Unless the address names a line, the log opens at the line that most likely says what went wrong.
    if (log.isComplete && error !== undefined && kept === "end") goTo(error);
    // The effect runs once, when that line is known: later renders must not move the reader.
  }, [log.isComplete, error]);
  const isFollowing = kept === "end";
  return (
    <section aria-label={`Log of ${job.step}`} className="flex min-h-0 flex-1 flex-col">
      <LogBar
        run={run}
        job={job}
        log={log}
        error={error}
        isFollowing={isFollowing}
        onFollow={(isWanted) => keep(isWanted ? "end" : undefined)}
        onGoTo={goTo}
      />
      {log.error !== undefined && <Trouble error={log.error} />}
      <LogLines text={log.text} kept={kept} onLeave={() => keep(undefined)} marked={marked} onChoose={choose}>
        {log.isComplete && log.text.lines === 0 && (
          <p className="px-4 py-6 text-muted">It printed nothing.</p>
        )}
      </LogLines>
    </section>
  );
}
