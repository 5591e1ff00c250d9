import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type UsageOfUser, usageOfUsers } from "../../api/admin-asks.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { HEAD } from "../../parts/table.ts";
import { bytesText, duration } from "../../parts/times.ts";
import { Waiting } from "../../parts/waiting.tsx";

interface Column {
  readonly title: string;
  /** Null sorts as less than every number: the disk space of very many files is not counted. */
  readonly valueOf: (user: UsageOfUser) => string | number | null;
  readonly textOf: (user: UsageOfUser) => string;
}

const COLUMNS: readonly Column[] = [
  { title: "User", valueOf: ({ email }) => email, textOf: ({ email }) => email },
  { title: "Runs", valueOf: ({ runs }) => runs, textOf: ({ runs }) => runs.toLocaleString() },
  { title: "Live", valueOf: (one) => one.live_runs, textOf: (one) => one.live_runs.toLocaleString() },
  {
    title: "Processor time",
    valueOf: (one) => one.cpu_ms,
    textOf: (one) => withLimit(one.cpu_ms, one.cpu_limit_ms, duration),
  },
  {
    title: "Wall clock",
    valueOf: (one) => one.wall_ms,
    textOf: (one) => withLimit(one.wall_ms, one.wall_limit_ms, duration),
  },
  {
    title: "Disk",
    valueOf: (one) => one.disk_bytes,
    textOf: (one) => withLimit(one.disk_bytes, one.disk_limit_bytes, bytesText),
  },
];

/** Lists what each user has used and may use, the heaviest user of the disk first. */
export function UsagePart() {
  const { data, error } = useQuery(usageOfUsers);
  const [by, sort] = useState<{ readonly title: string; readonly isDown: boolean }>({
    title: "Disk",
    isDown: true,
  });
  const turn = (title: string) => sort({ title, isDown: by.title === title ? !by.isDown : title !== "User" });
  const column = COLUMNS.find(({ title }) => title === by.title)!;
  return (
    <Part title="Usage" note="What each user has used, of what limit. Select a heading to sort.">
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={3} />}
      {data && (
        <div tabIndex={0} role="group" aria-label="Usage of all users" className="max-h-96 overflow-auto">
          <table className="w-full text-sm">
            <thead>
              <tr className={`${STACKED} max-sm:border-b max-sm:border-line`}>
                {COLUMNS.map(({ title }) => (
                  <Head key={title} title={title} by={by} onSort={turn} />
                ))}
              </tr>
            </thead>
            <tbody>
              {data.toSorted(orderOf(column, by.isDown)).map((user) => (
                <UsageRow key={user.id_} user={user} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}

/** On a phone, the values follow each other below the user, each after its title. */
const STACKED = "max-sm:flex max-sm:flex-wrap";
const TITLED = "max-sm:before:pr-1.5 max-sm:before:text-muted max-sm:before:content-[attr(data-title)]";

function UsageRow({ user }: { readonly user: UsageOfUser }) {
  return (
    <tr className={`${STACKED} border-b border-line last:border-0`}>
      {COLUMNS.map(({ title, textOf }, column) => (
        <td
          key={title}
          data-title={title}
          className={`px-3 py-1.5 wrap-break-word tabular-nums max-sm:py-0.5 ${column === 0 ? "max-sm:w-full" : TITLED}`}
        >
          {column === 0 ? <Breakable text={user.email} /> : textOf(user)}
        </td>
      ))}
    </tr>
  );
}

interface HeadProps {
  readonly title: string;
  readonly by: { readonly title: string; readonly isDown: boolean };
  readonly onSort: (title: string) => void;
}

function Head({ title, by, onSort }: HeadProps) {
  const isHere = by.title === title;
  return (
    <th
      scope="col"
      aria-sort={isHere ? (by.isDown ? "descending" : "ascending") : undefined}
      className={`${HEAD} max-sm:border-0`}
    >
      <button
        type="button"
        onClick={() => onSort(title)}
        className="font-medium whitespace-nowrap hover:text-ink"
      >
        {title}
        {isHere && <span aria-hidden> {by.isDown ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}

function orderOf({ valueOf }: Column, isDown: boolean): (one: UsageOfUser, other: UsageOfUser) => number {
  const order = (one: UsageOfUser, other: UsageOfUser) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b));
    return (a ?? -1) - (b ?? -1);
  };
  return (one, other) => (isDown ? order(other, one) : order(one, other));
}

function withLimit(used: number | null, limit: number | null, textOf: (amount: number) => string): string {
  const amount = used === null ? "not counted" : textOf(used);
  return limit === null ? amount : `${amount} of ${textOf(limit)}`;
}
