import { File, Folder } from "lucide-react";
import { HEAD } from "../../../parts/table.ts";
import { Time } from "../../../parts/time.tsx";
import { bytesText } from "../../../parts/times.ts";
import { FileMenu } from "./file-menu.tsx";
import type { Entry, FileOrder } from "./folder-of.ts";

interface FileTableProps {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly shown: string | null;
  readonly order: FileOrder;
  readonly onOrder: (order: FileOrder) => void;
  readonly onGo: (to: { folder?: string; file?: string }) => void;
}

const COLUMNS = [
  ["name", "Name", ""],
  ["size", "Size", "text-right"],
  ["modified", "Changed", "hidden sm:table-cell"],
] as const;

/** Maximum number of rows: a larger folder shows its first entries. */
const MAX_ROWS = 1000;

export function FileTable({ run, entries, shown, order, onOrder, onGo }: FileTableProps) {
  return (
    <div className="h-fit overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full text-sm">
        <thead>
          <tr>
            {COLUMNS.map(([column, title, className]) => (
              <th
                key={column}
                scope="col"
                aria-sort={order === column ? (column === "name" ? "ascending" : "descending") : "none"}
                className={`${HEAD} ${className}`}
              >
                <button type="button" onClick={() => onOrder(column)} className="hover:text-ink">
                  {title}
                  {order === column && (column === "name" ? " ↑" : " ↓")}
                </button>
              </th>
            ))}
            <th scope="col" className={HEAD}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, MAX_ROWS).map((entry) => (
            <FileRow key={entry.path} run={run} entry={entry} isShown={entry.path === shown} onGo={onGo} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type FileRowProps = Pick<FileTableProps, "run" | "onGo"> & {
  readonly entry: Entry;
  readonly isShown: boolean;
};

function FileRow({ run, entry, isShown, onGo }: FileRowProps) {
  const { name, path, isFolder, bytes, modified } = entry;
  const Icon = isFolder ? Folder : File;
  return (
    <tr className={`border-b border-line last:border-0 ${isShown ? "bg-tint" : "hover:bg-raised"}`}>
      <td className="w-full max-w-0 px-3 py-1.5">
        <button
          type="button"
          aria-current={isShown ? "true" : undefined}
          onClick={() => onGo(isFolder ? { folder: path } : { file: path })}
          className="flex w-full items-center gap-2 text-left hover:underline"
        >
          <Icon size={15} aria-hidden className={`shrink-0 ${isFolder ? "text-accent" : "text-muted"}`} />
          <span className="truncate">{name}</span>
        </button>
      </td>
      <td className="px-3 py-1.5 text-right whitespace-nowrap text-muted">{bytesText(bytes)}</td>
      <td className="hidden px-3 py-1.5 text-muted sm:table-cell">
        <Time at={modified} />
      </td>
      <td className="py-1.5 pr-2">
        <FileMenu run={run} entry={entry} />
      </td>
    </tr>
  );
}
