import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import { comparison } from "../../api/asks.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Part } from "../../parts/part.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { duration } from "../../parts/times.ts";
import { WaitingPage } from "../../parts/waiting.tsx";
import { DifferingValues } from "./differing-values.tsx";
import { FileDifferences } from "./file-differences.tsx";
import { StepDurations } from "./step-durations.tsx";

function NothingToCompare() {
  return (
    <>
      <PageTitle title="Compare" />
      <Empty title="Select two runs in the list to compare them.">
        <Link href="/runs" className="text-accent hover:underline">
          All runs
        </Link>
      </Empty>
    </>
  );
}

/** Compares two runs: parameters, specifications, durations of steps, and files. */
export function ComparePage() {
  const [search] = useSearchParams();
  const [a, b] = [search.get("a") ?? "", search.get("b") ?? ""];
  const { data, error } = useQuery({ ...comparison(a, b), enabled: a !== "" && b !== "" });
  if (a === "" || b === "") return <NothingToCompare />;
  if (error) return <Trouble error={error} />;
  if (!data) return <WaitingPage />;
  return (
    <>
      <PageTitle title={`${data.a.name} and ${data.b.name}`} />
      <div className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          {[data.a, data.b].map((run) => (
            <Link
              key={run.id}
              href={`/runs/${run.id}`}
              className="rounded-lg border border-line bg-surface px-4 py-3 hover:border-accent"
            >
              <span className="font-medium">{run.name}</span>
              <span className="mt-1 flex flex-wrap gap-x-4 text-sm text-muted">
                <StatusMark status={run.status} />
                <span>{run.wall_ms === null ? "–" : duration(run.wall_ms)}</span>
                <span>{duration(run.cpu_ms)} of processor time</span>
              </span>
            </Link>
          ))}
        </div>
        <Part title="Parameters">
          <DifferingValues values={data.parameters} a={data.a.name} b={data.b.name} />
        </Part>
        <Part title="Specification">
          <DifferingValues values={data.specification} a={data.a.name} b={data.b.name} />
        </Part>
        <Part title="Steps">
          <StepDurations steps={data.steps} a={data.a.name} b={data.b.name} />
        </Part>
        <Part title="Files">
          {data.files ? (
            <FileDifferences files={data.files} a={data.a} b={data.b} />
          ) : (
            <p className="px-4 py-3 text-muted">{data.files_missing}</p>
          )}
        </Part>
        {data.notes.map((note) => (
          <p key={note} className="text-muted">
            {note}
          </p>
        ))}
      </div>
    </>
  );
}
