import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { type Job, jobs } from "../../api/run-asks.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { JobList } from "./job-list.tsx";
import { LogView } from "./log/log-view.tsx";

interface JobsAndLogProps {
  readonly id: string;
  readonly isLive: boolean;
  readonly failedJob: string | undefined;
}

/** The jobs of a run, and the output of one: of the one in the address, else of the one that matters now. */
export function JobsAndLog({ id, isLive, failedJob }: JobsAndLogProps) {
  const [search, setSearch] = useSearchParams();
  const node = search.get("node") ?? undefined;
  const query = useInfiniteQuery(jobs(id, node));
  const all = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = chosenJob(all, search.get("job")) ?? jobThatMatters(all, failedJob);
  const choose = (job: Job) => setSearch(node === undefined ? { job: job.key } : { node, job: job.key });
  if (query.error) return <Trouble error={query.error} />;
  if (query.isPending) return <Waiting />;
  if (!shown) {
    return <Empty title={isLive ? "No job has started yet." : "This run has not started a job."} />;
  }
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(14rem,20rem)_minmax(0,1fr)]">
      <JobList
        jobs={all}
        total={query.data.pages[0]!.total}
        shown={shown}
        onChoose={choose}
        onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
      />
      <div className="flex h-[calc(100dvh-var(--above))] min-h-96 flex-col overflow-hidden rounded-lg border border-line bg-surface">
        <LogView key={shown.id} run={id} job={shown} />
      </div>
    </div>
  );
}

function chosenJob(all: readonly Job[], key: string | null): Job | undefined {
  return key === null ? undefined : all.findLast((job) => job.key === key);
}

/** The failed one, else the one that runs, else the last. */
function jobThatMatters(all: readonly Job[], failedJob: string | undefined): Job | undefined {
  return (
    all.find((job) => job.id === failedJob) ??
    all.find((job) => job.status === "failed") ??
    all.findLast((job) => job.status === "running") ??
    all.at(-1)
  );
}
