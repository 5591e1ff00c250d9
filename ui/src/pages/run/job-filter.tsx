import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { JobsWanted } from "../../api/job-pages.ts";
import { graph, run } from "../../api/run-asks.ts";
import { Button } from "../../parts/button.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { isFiltered, JOB_STATES } from "./jobs-wanted.ts";

/** A shorter list needs no filter. */
const FILTERED_FROM = 10;

interface JobFilterProps {
  readonly id: string;
  readonly wanted: JobsWanted;
  readonly onChange: (change: Readonly<Record<string, string>>) => void;
}

/** Chooses the jobs that are listed, by step, status and text. The numbers are those above the views. */
export function JobFilter({ id, wanted, onChange }: JobFilterProps) {
  const { data } = useQuery(run(id));
  if (!data) return null;
  const { total, ...counts } = data.progress;
  const isOffered = total.total > FILTERED_FROM || isFiltered(wanted);
  const numberOf = (status: string) => {
    const count = status in counts ? counts[status as "failed"].total : undefined;
    return count === undefined ? "" : ` (${count.toLocaleString()})`;
  };
  return (
    <>
      {isOffered && (
        <div role="search" className="flex flex-wrap gap-2 border-b border-line p-2 [&>label]:max-w-none">
          <SearchField
            label="Name or command"
            value={wanted.search ?? ""}
            onChange={(find) => onChange({ find })}
          />
          <select
            aria-label="Status of the jobs"
            value={wanted.status ?? ""}
            onChange={({ target }) => onChange({ state: target.value })}
            className="h-8 min-w-32 flex-1 rounded-md border border-line bg-surface px-2 text-sm"
          >
            <option value="">All jobs</option>
            {Object.entries(JOB_STATES).map(([status, word]) => (
              <option key={status} value={status}>
                {word}
                {numberOf(status)}
              </option>
            ))}
          </select>
        </div>
      )}
      {wanted.node !== undefined && (
        <NodeChip id={id} node={wanted.node} onLeave={() => onChange({ node: "" })} />
      )}
    </>
  );
}

interface NodeChipProps {
  readonly id: string;
  readonly node: string;
  readonly onLeave: () => void;
}

function NodeChip({ id, node, onLeave }: NodeChipProps) {
  const { data } = useQuery(graph(id));
  const name = data?.nodes.find((one) => one.id === node)?.name ?? node;
  return (
    <Button
      look="quiet"
      className="m-1"
      aria-label={`Show jobs of other steps than ${name}`}
      onClick={onLeave}
    >
      {`Step ${name}`} <X size={14} aria-hidden />
    </Button>
  );
}
