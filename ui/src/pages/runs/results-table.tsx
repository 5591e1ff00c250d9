import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { type Run, runResults, type RunsWanted } from "../../api/asks.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { Pager } from "../../parts/pager.tsx";
import { RunName } from "../../parts/run-name.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { HEAD } from "../../parts/table.ts";
import { Took } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { byParameter, differingParameters, parameterText } from "./differing-parameters.ts";
import { OutputCell } from "./output-cell.tsx";
import { outputColumns } from "./output-columns.ts";

interface ResultsTableProps {
  readonly wanted: RunsWanted;
  readonly onPage: (page: number) => void;
}

/** Tabulates the runs of one name, such as a sweep: the differing parameters, and the outputs of each run. */
export function ResultsTable({ wanted, onPage }: ResultsTableProps) {
  const { data, error } = useQuery(runResults(wanted));
  const [sorted, sort] = useState<Sorting>();
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting lines={8} />;
  if (data.items.length === 0) return <Empty title="No run matches." />;
  const runs = sorted ? data.items.toSorted(orderOf(sorted)) : data.items;
  const parameters = differingParameters(data.items);
  const outputs = outputColumns(data.items);
  const turn = (by: string) => sort({ by, isDown: sorted?.by === by && !sorted.isDown });
  return (
    <>
      <div
        tabIndex={0}
        role="group"
        aria-label="Results"
        className="overflow-x-auto rounded-lg border border-line bg-surface"
      >
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr>
              {["Run", ...parameters.map((name) => `=${name}`), "Status"].map((by) => (
                <SortableHead key={by} by={by} sorted={sorted} onSort={turn} />
              ))}
              <th scope="col" className={HEAD}>
                Duration
              </th>
              {outputs.map(({ title }) => (
                <th key={title} scope="col" className={`${HEAD} wrap-anywhere`}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.id} className="border-b border-line align-top last:border-0 hover:bg-raised">
                <td className="max-w-64 min-w-28 px-3 py-2">
                  <Link href={`/runs/${run.id}`} className="flex font-medium hover:underline">
                    <RunName name={run.name} />
                  </Link>
                </td>
                {parameters.map((name) => (
                  <td
                    key={name}
                    className="max-w-60 min-w-16 px-3 py-2 font-mono text-xs leading-5 wrap-anywhere"
                  >
                    {parameterText(run, name)}
                  </td>
                ))}
                <td className="px-3 py-2">
                  <StatusMark status={run.status} />
                </td>
                <td className="px-3 py-2 text-muted">
                  <RunTook run={run} />
                </td>
                {outputs.map(({ title, cellOf }) => (
                  <td key={title} className="max-w-80 min-w-24 px-3 py-2">
                    <OutputCell run={run} cell={cellOf(run)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {outputs.some(({ hasLetters }) => hasLetters) && (
        <p className="mt-2 text-sm text-muted">Within a column, the same letter means the same content.</p>
      )}
      <Pager page={data} onPage={onPage} />
    </>
  );
}

interface Sorting {
  /** A heading. That of a parameter begins with `=`. */
  readonly by: string;
  readonly isDown: boolean;
}

function orderOf({ by, isDown }: Sorting): (one: Run, other: Run) => number {
  const order = by.startsWith("=")
    ? byParameter(by.slice(1))
    : by === "Status"
      ? (one: Run, other: Run) => one.status.localeCompare(other.status)
      : (one: Run, other: Run) => one.name.localeCompare(other.name, undefined, { numeric: true });
  return (one, other) => (isDown ? order(other, one) : order(one, other));
}

interface SortableHeadProps {
  readonly by: string;
  readonly sorted: Sorting | undefined;
  readonly onSort: (by: string) => void;
}

function SortableHead({ by, sorted, onSort }: SortableHeadProps) {
  const isHere = sorted?.by === by;
  const order = sorted?.isDown ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={isHere ? order : undefined} className={HEAD}>
      <button type="button" onClick={() => onSort(by)} className="font-medium wrap-break-word hover:text-ink">
        {by.replace(/^=/, "")}
        {isHere && <span aria-hidden> {sorted.isDown ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}

function RunTook({ run: { progress } }: { readonly run: Run }) {
  if (!progress.run_started_at) return "–";
  return <Took from={progress.run_started_at} wallMs={progress.wall_ms} />;
}
