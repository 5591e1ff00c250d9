import { useQuery } from "@tanstack/react-query";
import { liveRuns } from "../../api/admin-asks.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { HEAD } from "../../parts/table.ts";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";

const COLUMNS = ["Run", "User", "Status", "Jobs", "Since", "Waits for"] as const;
/** The columns that identify a run. Phones show no other columns. */
const ON_PHONES: ReadonlySet<string> = new Set(["Run", "Status", "Jobs"]);

/**
 * Lists the live runs, with the reason why each is waiting. Does not show the files or logs of a user's run.
 */
export function LiveRunsPart() {
  const { data, error } = useQuery(liveRuns);
  const isCut = data && data.total > data.items.length;
  return (
    <Part
      title="Live runs"
      note={
        isCut
          ? `The newest ${data.items.length} of ${data.total.toLocaleString()}.`
          : "What runs, and what waits for what."
      }
    >
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={2} />}
      {data?.items.length === 0 && <p className="px-4 py-3 text-muted">Nothing runs or waits.</p>}
      {data && data.items.length > 0 && (
        <div tabIndex={0} role="group" aria-label="Live runs" className="max-h-96 overflow-auto">
          <table className="w-full text-sm">
            <thead>
              <tr>
                {COLUMNS.map((title) => (
                  <th
                    key={title}
                    scope="col"
                    className={`${HEAD} ${ON_PHONES.has(title) ? "" : "max-sm:hidden"}`}
                  >
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.items.map((run) => (
                <tr key={run.id} className="border-b border-line last:border-0">
                  <td className="min-w-32 px-3 py-1.5 wrap-anywhere">
                    <span className="font-medium">{run.name}</span>
                    <span className="block text-muted sm:hidden">{run.waiting_for ?? run.owner_email}</span>
                  </td>
                  <td className="min-w-36 max-sm:hidden px-3 py-1.5 wrap-break-word">
                    <Breakable text={run.owner_email} />
                  </td>
                  <td className="px-3 py-1.5">
                    <StatusMark status={run.status} />
                  </td>
                  <td className="px-3 py-1.5 whitespace-nowrap text-muted">
                    {run.jobs.finished.toLocaleString()}/{run.jobs.total.toLocaleString()}
                  </td>
                  <td className="px-3 py-1.5 text-muted max-sm:hidden">
                    <Time at={run.started ?? run.queued ?? run.created} />
                  </td>
                  <td className="min-w-48 px-3 py-1.5 text-muted max-sm:hidden">{run.waiting_for}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}
