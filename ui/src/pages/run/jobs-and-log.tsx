import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { type Job, jobs, oneJob } from "../../api/run-asks.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { isFiltered, withoutEmpty, wantedIn } from "./jobs-wanted.ts";
import { jobThatMatters } from "./job-that-matters.ts";
import { JobFilter } from "./job-filter.tsx";
import { JobList } from "./job-list.tsx";
import { LogView } from "./log/log-view.tsx";

interface JobsAndLogProps {
  readonly id: string;
  readonly isLive: boolean;
  readonly failedJob: string | undefined;
}

/** Shows the jobs of a run, and the output of one: the job in the address, or else the most relevant job. */
export function JobsAndLog({ id, isLive, failedJob }: JobsAndLogProps) {
  const [search, setSearch] = useSearchParams();
  const wanted = wantedIn(search);
  const query = useInfiniteQuery(jobs(id, wanted));
  const all = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const { shown, isWaiting } = useShownJob(id, {
    all: query.isSuccess ? all : undefined,
    key: search.get("job"),
    failedJob: isFiltered(wanted) ? undefined : failedJob,
    isWhole: !query.hasNextPage,
  });
  const go = (change: Readonly<Record<string, string>>) =>
    setSearch(withoutEmpty({ ...Object.fromEntries(search), ...change }), { replace: true });
  if (query.error) return <Trouble error={query.error} />;
  if (query.isPending || isWaiting) return <Waiting />;
  if (!shown && !isFiltered(wanted)) {
    return <Empty title={isLive ? "No job has started yet." : "This run has not started a job."} />;
  }
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(14rem,20rem)_minmax(0,1fr)]">
      <JobList
        jobs={all}
        total={query.data.pages[0]!.total}
        shown={shown}
        onChoose={(job) => go({ job: job.key })}
        onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
      >
        <JobFilter id={id} wanted={wanted} onChange={go} />
      </JobList>
      {shown && (
        <div className="flex h-[calc(100dvh-var(--above))] min-h-96 flex-col overflow-hidden rounded-lg border border-line bg-surface">
          {shown.waiting_for && (
            <p className="border-b border-line px-3 py-2 text-sm text-muted">{shown.waiting_for}</p>
          )}
          <LogView key={shown.id} run={id} job={shown} />
        </div>
      )}
    </div>
  );
}

interface Choice {
  /** The listed jobs. Undefined while loading. */
  readonly all: readonly Job[] | undefined;
  /** The job in the address. */
  readonly key: string | null;
  readonly failedJob: string | undefined;
  /** True if no further page of the list is left to load. */
  readonly isWhole: boolean;
}

/**
 * Returns the job whose output is shown. A job that is not in the loaded pages of the list is requested
 * separately.
 */
function useShownJob(id: string, { all, key, failedJob, isWhole }: Choice) {
  const listed = all && (key === null ? all.find((job) => job.id === failedJob) : lastWithKey(all, key));
  const isNamed = key !== null || failedJob !== undefined;
  const named = useQuery({
    ...oneJob(id, key === null ? { id: failedJob ?? "" } : { key }),
    enabled: all !== undefined && isNamed && !listed,
  });
  const shown = listed ?? named.data ?? jobThatMatters(all ?? [], isWhole);
  return { shown, isWaiting: named.isLoading };
}

function lastWithKey(all: readonly Job[], key: string): Job | undefined {
  return all.findLast((job) => job.key === key);
}
