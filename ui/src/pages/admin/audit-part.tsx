import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { audit } from "../../api/admin-asks.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { HEAD } from "../../parts/table.ts";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { counted } from "../../parts/words.ts";

const FEW = 20;
const MANY = 1000;

/** Lists the changes with their users and outcomes, the newest first. */
export function AuditPart() {
  const [last, setLast] = useState(FEW);
  const { data, error } = useQuery(audit(last));
  return (
    <Part
      title="Audit"
      note="Every change and its outcome."
      aside={
        data?.items.length === last && last < MANY && <Button onClick={() => setLast(MANY)}>Show more</Button>
      }
    >
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={4} />}
      {data && data.unreadable_lines > 0 && (
        <p className="mb-2 text-bad">
          {counted(data.unreadable_lines, "line")} of the log cannot be read. A full disk can leave a part of
          a line.
        </p>
      )}
      {data && (
        <div tabIndex={0} role="group" aria-label="Entries" className="overflow-x-auto">
          <table className="w-full text-sm">
            <thead>
              <tr>
                {["Time", "User", "Action", "On", "Outcome"].map((title, column) => (
                  <th
                    key={title}
                    scope="col"
                    className={`${HEAD} ${column === 3 ? "hidden sm:table-cell" : ""}`}
                  >
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.items.map(({ time, user, ip, action, subject, status }, index) => (
                <tr key={index} className="border-b border-line last:border-0">
                  <td className="px-3 py-1.5 text-muted">
                    <Time at={time} />
                  </td>
                  <td className="px-3 py-1.5 wrap-break-word" title={ip ?? undefined}>
                    {user !== null && <Breakable text={user} />}
                  </td>
                  <td className="px-3 py-1.5 wrap-break-word">{action}</td>
                  <td className="hidden max-w-md truncate px-3 py-1.5 text-muted sm:table-cell">
                    {aboutOf(subject)}
                  </td>
                  <td className={`px-3 py-1.5 ${(status ?? 200) < 400 ? "text-good" : "text-bad"}`}>
                    {status ?? "done"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}

/** Returns the names in an entry. The id of a run follows its name, for programs. */
function aboutOf(subject: Readonly<Record<string, string>>): string {
  const named = Object.entries(subject).filter(([name]) => name !== "run_id");
  return named.map(([, value]) => value).join(" · ");
}
