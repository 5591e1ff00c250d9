import type { Shadow } from "../../api/admin-asks.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { Part } from "../../parts/part.tsx";
import { HEAD } from "../../parts/table.ts";
import { Time } from "../../parts/time.tsx";
import { duration } from "../../parts/times.ts";

const COLUMNS = ["Run", "User", "Sent", "Result", "Here", "There"] as const;
/** The columns that phones show. The others are below the name of the run. */
const ON_PHONES: ReadonlySet<string> = new Set(["Run", "Here", "There"]);

/** Lists the newest runs with what became of each on both servers. */
export function CopiesPart({ runs }: { readonly runs: readonly Shadow[] }) {
  return (
    <Part title="Runs" note="The newest, with their status and duration on both servers.">
      {runs.length === 0 && <p className="px-4 py-3 text-muted">No run has been sent yet.</p>}
      {runs.length > 0 && (
        <div
          tabIndex={0}
          role="group"
          aria-label="Runs on both servers"
          className="max-h-[32rem] overflow-auto"
        >
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
              {runs.map((run) => (
                <CopyRow key={run.workflow_id} run={run} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}

function CopyRow({ run }: { readonly run: Shadow }) {
  const result = run.cause ?? run.problem ?? "waits for the end of both runs";
  return (
    <tr className="border-b border-line align-top last:border-0">
      <td className="min-w-28 px-3 py-1.5 wrap-anywhere">
        <span className="font-medium">{run.workflow_name}</span>
        <span className="block text-muted sm:hidden">{result}</span>
      </td>
      <td className="min-w-36 px-3 py-1.5 wrap-break-word max-sm:hidden">
        <Breakable text={run.user_email} />
      </td>
      <td className="px-3 py-1.5 text-muted max-sm:hidden">
        <Time at={run.sent} />
      </td>
      <td className={`min-w-48 px-3 py-1.5 max-sm:hidden ${COLORS[run.kind ?? "open"] ?? ""}`}>
        {result}
        {run.outputs.length > 1 && (
          <span className="block text-muted wrap-anywhere">{run.outputs.join(", ")}</span>
        )}
      </td>
      <Side side={run.here} />
      <Side side={run.there} />
    </tr>
  );
}

const COLORS: Readonly<Record<string, string>> = { same: "text-good", open: "text-muted" };

function Side({ side }: { readonly side: Shadow["here"] }) {
  return (
    <td className="px-3 py-1.5">
      {side && (
        <>
          {side.status}
          {side.seconds !== null && (
            <span className="block whitespace-nowrap text-muted">{duration(side.seconds * 1000)}</span>
          )}
          {side.failure !== null && (
            <span className="block max-w-72 text-muted wrap-anywhere max-sm:hidden">{side.failure}</span>
          )}
        </>
      )}
    </td>
  );
}
