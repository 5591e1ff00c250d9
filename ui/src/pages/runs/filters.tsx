import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import type { RunsWanted } from "../../api/asks.ts";
import { StatusIcon } from "../../parts/status-mark.tsx";

const SHOWN = ["running", "queued", "finished", "failed", "stopped", "created"] as const;
const SORTS = { desc: "Newest first", asc: "Oldest first", "cpu-desc": "Most processor time" } as const;

interface FiltersProps {
  readonly wanted: RunsWanted;
  readonly onChange: (change: Partial<RunsWanted>) => void;
}

export function Filters({ wanted, onChange }: FiltersProps) {
  const toggle = (status: string) => {
    const { status: chosen } = wanted;
    const isOn = chosen.includes(status);
    onChange({ status: isOn ? chosen.filter((one) => one !== status) : [...chosen, status] });
  };
  return (
    <div role="search" className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField value={wanted.search} onChange={(search) => onChange({ search })} />
      <div role="group" aria-label="Status" className="flex flex-wrap gap-1">
        {SHOWN.map((status) => (
          <StatusChip
            key={status}
            status={status}
            isOn={wanted.status.includes(status)}
            onToggle={() => toggle(status)}
          />
        ))}
      </div>
      <select
        aria-label="Order"
        value={wanted.sort}
        onChange={({ target }) => onChange({ sort: target.value as RunsWanted["sort"] })}
        className="ml-auto h-8 rounded-md border border-line bg-surface px-2"
      >
        {Object.entries(SORTS).map(([sort, name]) => (
          <option key={sort} value={sort}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface StatusChipProps {
  readonly status: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

function StatusChip({ status, isOn, onToggle }: StatusChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={`flex h-8 items-center gap-1.5 rounded-full border px-2.5 text-sm ${
        isOn ? "border-accent bg-tint font-medium" : "border-line bg-surface text-muted hover:bg-raised"
      }`}
    >
      <StatusIcon status={status} size={14} />
      {status}
    </button>
  );
}

const PAUSE_MS = 250;

/** A field whose text is asked for when its writer pauses. */
function SearchField({ value, onChange }: { readonly value: string; onChange(value: string): void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <label className="relative min-w-48 flex-1 sm:max-w-72">
      <span className="sr-only">Search by name</span>
      <Search size={15} aria-hidden className="absolute top-2 left-2.5 text-muted" />
      <input
        type="search"
        placeholder="Search by name"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-md border border-line bg-surface pr-2 pl-8 placeholder:text-muted"
      />
    </label>
  );
}
