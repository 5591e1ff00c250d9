import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isOver, type RunStatus } from "../../api/asks.ts";
import { type Definition, results, run, specification, usage } from "../../api/run-asks.ts";
import { fileAddress } from "../../api/client.ts";
import { FileLink } from "../../parts/file-link.tsx";
import { Part } from "../../parts/part.tsx";
import { HEAD } from "../../parts/table.ts";
import { Time } from "../../parts/time.tsx";
import { bytesText, duration } from "../../parts/times.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { MemoryTable } from "./memory-table.tsx";
import { PackPart } from "./pack-part.tsx";
import { PublicationPart } from "./publication-part.tsx";
import { VerificationPart } from "./verification-part.tsx";

/** Statuses of runs that a person may verify, whole or step by step. */
const VERIFIABLE: ReadonlySet<string> = new Set(["finished", "failed", "stopped"]);

/** Parameters, times, resources, results and their verification. */
export function DetailsView({ id }: { readonly id: string }) {
  const { data } = useQuery(specification(id));
  const { data: known } = useQuery(run(id));
  if (!data) return <Waiting />;
  const declared = (data.specification as { inputs?: { parameters?: object } }).inputs?.parameters ?? {};
  return (
    <div className="gap-4 space-y-4 lg:columns-2">
      <Part title="Parameters">
        <Facts
          facts={Object.entries({ ...declared, ...data.parameters }).map(([name, value]) => [
            name,
            valueText(value),
          ])}
        />
      </Part>
      <Part title="Time and resources">
        <Resources id={id} />
      </Part>
      <Part title="Memory">
        <Memory id={id} />
      </Part>
      <Part title="Results">
        <Results id={id} />
      </Part>
      {known && VERIFIABLE.has(known.status) && <VerificationPart run={known} />}
      {known && isOver(known.status) && <PackPart run={known} />}
      {known && isOver(known.status) && <PublicationPart run={known} />}
    </div>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return <p className="px-4 py-3 text-muted">None.</p>;
  return (
    <dl className="divide-y divide-line text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-4 px-4 py-1.5">
          <dt className="w-36 shrink-0 text-muted wrap-anywhere">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Resources({ id }: { readonly id: string }) {
  const { data } = useQuery(usage(id));
  const { data: known } = useQuery(run(id));
  if (!data || !known) return <Waiting lines={3} />;
  const { run_started_at: started, run_finished_at: finished } = known.progress;
  const ms = (value: number | null) => (value === null ? "–" : duration(value));
  return (
    <Facts
      facts={[
        ["Created", <Time key="c" at={known.created} />],
        ["Started", started ? <Time key="s" at={started} /> : "–"],
        ["Ended", finished ? <Time key="f" at={finished} /> : "–"],
        ["Waited", ms(data.queued_ms)],
        ["Took", ms(data.wall_ms)],
        ["Processor time", ms(data.cpu_ms)],
        ["Jobs", data.jobs.total.toLocaleString()],
        ["Workspace", data.workspace_bytes === null ? "–" : bytesText(data.workspace_bytes)],
      ]}
    />
  );
}

function Memory({ id }: { readonly id: string }) {
  const { data } = useQuery(usage(id));
  return data ? <MemoryTable steps={data.memory} /> : <Waiting lines={3} />;
}

/** Says why a run has no results. */
function absentResults(status: RunStatus, definition: Definition): string {
  const { outputs } = definition.specification as { outputs?: { files?: unknown; directories?: unknown } };
  const declared = [outputs?.files, outputs?.directories].flat().filter(Boolean);
  if (declared.length === 0) return "No outputs are declared.";
  return isOver(status)
    ? "None of the declared outputs was made."
    : "The declared outputs are recorded when the run ends.";
}

function Results({ id }: { readonly id: string }) {
  const { data } = useQuery(results(id));
  const { data: defined } = useQuery(specification(id));
  const { data: known } = useQuery(run(id));
  if (!data || !defined || !known) return <Waiting lines={3} />;
  if (data.files.length === 0)
    return <p className="px-4 py-3 text-muted">{data.note ?? absentResults(known.status, defined)}</p>;
  return (
    <table className="w-full text-sm">
      <thead>
        <tr>
          <th scope="col" className={HEAD}>
            File
          </th>
          <th scope="col" className={`${HEAD} text-right`}>
            Size
          </th>
          <th scope="col" className={`${HEAD} hidden sm:table-cell`}>
            SHA-256
          </th>
        </tr>
      </thead>
      <tbody>
        {data.files.map((file) => (
          <tr key={file.name} className="border-b border-line last:border-0">
            <td className="px-3 py-1.5 wrap-anywhere">
              <FileLink address={fileAddress(id, file.name)} download className="text-accent hover:underline">
                {file.name}
              </FileLink>
              {file.replaced_by && <span className="block text-muted">replaced by {file.replaced_by}</span>}
            </td>
            <td className="px-3 py-1.5 text-right whitespace-nowrap">{bytesText(file.bytes)}</td>
            <td className="hidden px-3 py-1.5 font-mono text-xs text-muted sm:table-cell">
              {file.sha256?.slice(0, 12)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
