import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { Link } from "wouter";
import { type Run, session } from "../../api/asks.ts";
import { JobsBar } from "../../parts/jobs-bar.tsx";
import { RunMarks } from "../../parts/run-marks.tsx";
import { differingParameters, parameterText } from "./differing-parameters.ts";
import { StatusMark } from "../../parts/status-mark.tsx";
import { RunName } from "../../parts/run-name.tsx";
import { HEAD } from "../../parts/table.ts";
import { Took, Time } from "../../parts/time.tsx";
import type { Selection } from "./use-selection.ts";

interface RunTableProps {
  readonly runs: readonly Run[];
  readonly selection: Selection;
  /** True if the parameters in which the runs differ are columns. */
  readonly isOfOneName: boolean;
}

/** Columns of parameters that a list has room for. The results show all. */
const MAX_PARAMETERS = 3;

export function RunTable({ runs, selection, isOfOneName }: RunTableProps) {
  const parameters = isOfOneName ? differingParameters(runs).slice(0, MAX_PARAMETERS) : [];
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-8 pr-0`}>
              <input
                type="checkbox"
                aria-label="Select all runs of this page"
                checked={selection.isAll}
                onChange={selection.toggleAll}
                className="block accent-accent"
              />
            </th>
            <th scope="col" className={HEAD}>
              Name
            </th>
            {parameters.map((name) => (
              <th key={name} scope="col" className={`${HEAD} hidden wrap-anywhere sm:table-cell`}>
                {name}
              </th>
            ))}
            <th scope="col" className={HEAD}>
              Status
            </th>
            <th scope="col" className={`${HEAD} hidden sm:table-cell`}>
              Jobs
            </th>
            <th scope="col" className={`${HEAD} hidden md:table-cell`}>
              Duration
            </th>
            <th scope="col" className={`${HEAD} hidden sm:table-cell`}>
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} parameters={parameters} selection={selection} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RunRowProps {
  readonly run: Run;
  readonly parameters: readonly string[];
  readonly selection: Selection;
}

function RunRow({ run, parameters, selection }: RunRowProps) {
  const { progress } = run;
  const isSelected = selection.has(run.id);
  return (
    <tr className={`border-b border-line last:border-0 ${isSelected ? "bg-tint" : "hover:bg-raised"}`}>
      <td className="py-2 pl-3">
        <input
          type="checkbox"
          aria-label={`Select ${run.name}`}
          checked={isSelected}
          onChange={() => selection.toggle(run.id)}
          className="block accent-accent"
        />
      </td>
      <td className="max-w-0 min-w-36 px-3 py-2 sm:w-[40%]">
        <Link href={`/runs/${run.id}`} className="flex font-medium hover:underline">
          <RunName name={run.name} />
        </Link>
        <People run={run} />
        <RunMarks note={run.note ?? ""} tags={run.tags ?? []} isCut />
      </td>
      {parameters.map((name) => (
        <td key={name} className="hidden max-w-48 px-3 py-2 font-mono text-xs wrap-anywhere sm:table-cell">
          {parameterText(run, name)}
        </td>
      ))}
      <td className="px-3 py-2">
        <StatusMark status={run.status} />
      </td>
      <td className="hidden px-3 py-2 sm:table-cell">
        <JobsBar progress={progress} />
      </td>
      <td className="hidden px-3 py-2 text-muted md:table-cell">
        {progress.run_started_at && <Took from={progress.run_started_at} wallMs={progress.wall_ms} />}
      </td>
      <td className="hidden px-3 py-2 text-muted sm:table-cell">
        <Time at={run.created} />
      </td>
    </tr>
  );
}

/** Names the owner of another user's run, or the users with whom a run is shared. */
function People({ run }: { readonly run: Run }) {
  const { data: user } = useQuery(session);
  const isOthers = user !== undefined && run.owner_email !== user.email;
  const text = isOthers ? `of ${run.owner_email}` : run.shared_with.join(", ");
  if (text === "") return null;
  return (
    <span title={text} className="flex items-center gap-1 text-xs text-muted">
      <Users size={12} aria-hidden className="shrink-0" />
      <span className="truncate">{isOthers ? text : `shared with ${text}`}</span>
    </span>
  );
}
