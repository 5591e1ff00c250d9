import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { Link, useSearchParams } from "wouter";
import { comparison } from "../../api/asks.ts";
import { Empty, Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Part } from "../../parts/part.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { HEAD } from "../../parts/table.ts";
import { duration } from "../../parts/times.ts";
import { WaitingPage } from "../../parts/waiting.tsx";
import { FileDifferences } from "./file-differences.tsx";

/** Two runs beside each other: what differs, and what it changed. */
export function ComparePage() {
  const [search] = useSearchParams();
  const [a, b] = [search.get("a") ?? "", search.get("b") ?? ""];
  const { data, error } = useQuery({ ...comparison(a, b), enabled: a !== "" && b !== "" });
  if (a === "" || b === "") return <Empty title="Select two runs in the list to compare them." />;
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
          <Values values={data.parameters} a={data.a.name} b={data.b.name} />
        </Part>
        <Part title="Specification">
          <Values values={data.specification} a={data.a.name} b={data.b.name} />
        </Part>
        <Part title="Steps">
          <Steps steps={data.steps} a={data.a.name} b={data.b.name} />
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

interface Value {
  readonly path: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

interface Names {
  readonly a: string;
  readonly b: string;
}

function Values({ values, a, b }: Names & { readonly values: readonly Value[] }) {
  if (values.length === 0) return <p className="px-4 py-3 text-muted">The same.</p>;
  return (
    <table className="w-full text-sm">
      <Heads names={["Where", a, b]} className={STACKED} />
      <tbody>
        {values.map((value) => (
          <tr key={value.path} className={`${STACKED} border-b border-line align-top last:border-0`}>
            <td className="px-4 py-1.5 wrap-anywhere max-sm:col-span-2">
              <BrokenAtDots path={value.path} />
            </td>
            <td className="px-3 py-1.5 font-mono text-xs wrap-anywhere">{shown(value.a)}</td>
            <td className="px-3 py-1.5 font-mono text-xs wrap-anywhere">{shown(value.b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** On a phone the place has a line of its own, above its two values. */
const STACKED = "max-sm:grid max-sm:grid-cols-2";

function BrokenAtDots({ path }: { readonly path: string }) {
  return path.split(/(?<=\.)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

interface HeadsProps {
  readonly names: readonly string[];
  readonly className?: string;
}

function Heads({ names, className }: HeadsProps) {
  const first = className === undefined ? "" : "max-sm:hidden";
  return (
    <thead>
      <tr className={className}>
        {names.map((name, index) => (
          <th key={name + index} scope="col" className={`${HEAD} ${index === 0 ? first : ""}`}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface Totals {
  readonly jobs?: number;
  readonly wall_ms?: number | null;
}

interface Step {
  readonly step: string;
  readonly a: Totals | null;
  readonly b: Totals | null;
}

function Steps({ steps, a, b }: Names & { readonly steps: readonly Step[] }) {
  const longest = Math.max(1, ...steps.flatMap((one) => [one.a?.wall_ms ?? 0, one.b?.wall_ms ?? 0]));
  return (
    <table className="w-full text-sm">
      <Heads names={["Step", a, b]} />
      <tbody>
        {steps.map((step) => (
          <tr key={step.step} className="border-b border-line last:border-0">
            <td className="px-4 py-1.5">{step.step}</td>
            {[step.a, step.b].map((totals, index) => (
              <td key={index} className="w-[35%] px-3 py-1.5">
                <Bar ms={totals?.wall_ms ?? null} longest={longest} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ ms, longest }: { readonly ms: number | null; readonly longest: number }) {
  if (ms === null) return <span className="text-muted">–</span>;
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="h-2 rounded-sm bg-live" style={{ width: `${(70 * ms) / longest}%` }} />
      <span className="text-muted">{duration(ms)}</span>
    </span>
  );
}
