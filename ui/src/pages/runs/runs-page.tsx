import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link, useSearchParams } from "wouter";
import { runs } from "../../api/asks.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { Filters } from "./filters.tsx";
import { ListShape } from "./list-shape.tsx";
import { NameTable } from "./name-table.tsx";
import { RunTable } from "./run-table.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useSelection } from "./use-selection.ts";
import { useWantedRuns } from "./use-wanted-runs.ts";
import { later } from "../../parts/later.ts";

const NewRunWays = later(async () => (await import("../new/new-run-ways.tsx")).NewRunWays);

const ResultsTable = later(async () => (await import("./results-table.tsx")).ResultsTable);

/** The sample run of a new server. The list then has room for the ways to a run of one's own. */
const FEW_RUNS = 1;

/** Lists all runs, individually or by name. */
export function RunsPage() {
  const [search] = useSearchParams();
  const by = search.get("by");
  return (
    <>
      <PageTitle title="Runs" note={<ListShape by={by} name={search.get("name") ?? ""} />}>
        <Link href="/new" className={buttonClass("main")}>
          New run
        </Link>
      </PageTitle>
      {by === "name" ? <NameTable /> : by === "results" ? <ResultList /> : <RunList />}
    </>
  );
}

/** The results of the runs of one name, with the filters of the list. */
function ResultList() {
  const [wanted, change] = useWantedRuns();
  return (
    <>
      <Filters wanted={wanted} onChange={change} />
      <Suspense fallback={<Waiting lines={8} />}>
        <ResultsTable wanted={wanted} onPage={(page) => change({ page })} />
      </Suspense>
    </>
  );
}

function RunList() {
  const [wanted, change] = useWantedRuns();
  const { data, error, isPending, refetch } = useQuery(runs(wanted));
  const selection = useSelection(data?.items ?? []);
  const hasRuns = data !== undefined && data.items.length > 0;
  const isFiltered = [
    wanted.search,
    wanted.name,
    wanted.since,
    wanted.whose,
    wanted.tag,
    ...wanted.status,
  ].some((text) => text !== "");
  return (
    <>
      <Filters wanted={wanted} onChange={change} />
      {error && <Trouble error={error} retry={() => void refetch()} />}
      {isPending && !error && <Waiting lines={8} />}
      {hasRuns && <RunTable runs={data.items} selection={selection} isOfOneName={wanted.name !== ""} />}
      {data && !hasRuns && (isFiltered ? <NothingFound /> : <Empty title="You have no runs yet." />)}
      {data && <SelectionBar selection={selection} wanted={wanted} total={data.total} />}
      {hasRuns && <Pager page={data} onPage={(page) => change({ page })} />}
      {data && data.total <= FEW_RUNS && !isFiltered && (
        <section aria-label="Run your own" className="mt-6">
          <Suspense>
            <NewRunWays />
          </Suspense>
        </section>
      )}
    </>
  );
}

function NothingFound() {
  return (
    <Empty title="No run matches.">
      <Link href="/runs" className="text-accent hover:underline">
        Show all runs
      </Link>
    </Empty>
  );
}
