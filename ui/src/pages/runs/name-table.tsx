import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import { runNames } from "../../api/asks.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Pager } from "../../parts/pager.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { HEAD } from "../../parts/table.ts";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { counted } from "../../parts/words.ts";
import { runNumber } from "../../parts/name-parts.ts";
import { pageOf } from "./page-of.ts";

/** The names of all runs: how many runs each has, and how the last one went. */
export function NameTable() {
  const [search, setSearch] = useSearchParams();
  const page = pageOf(search);
  const { data, error } = useQuery(runNames(page));
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting lines={8} />;
  return (
    <>
      <div className="overflow-x-auto rounded-lg border border-line bg-surface">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr>
              <th scope="col" className={HEAD}>
                Name
              </th>
              <th scope="col" className={HEAD}>
                Last run
              </th>
              <th scope="col" className={`${HEAD} hidden sm:table-cell`}>
                Created
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map(({ name, workflows, last }) => (
              <tr key={name} className="border-b border-line last:border-0 hover:bg-raised">
                <td className="px-3 py-2">
                  <Link
                    href={`/runs?name=${encodeURIComponent(name)}`}
                    className="font-medium wrap-anywhere hover:underline"
                  >
                    {name}
                  </Link>{" "}
                  <span className="ml-1 whitespace-nowrap text-muted">{counted(workflows, "run")}</span>
                </td>
                <td className="px-3 py-2">
                  <Link href={`/runs/${last.id}`} className="flex items-center gap-2 hover:underline">
                    <StatusMark status={last.status} />
                    <span className="text-muted">
                      <span className="sr-only">{name}</span>
                      {runNumber(last.name)}
                    </span>
                  </Link>
                </td>
                <td className="hidden px-3 py-2 text-muted sm:table-cell">
                  <Time at={last.created} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager page={data} onPage={(next) => setSearch({ by: "name", page: String(next) })} />
    </>
  );
}
