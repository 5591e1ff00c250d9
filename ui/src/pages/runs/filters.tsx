import { X } from "lucide-react";
import type { RunsWanted } from "../../api/asks.ts";
import { SINCE } from "../../api/since.ts";
import { Button } from "../../parts/button.tsx";
import { StatusIcon } from "../../parts/status-mark.tsx";
import { ParameterFilter } from "./parameter-filter.tsx";
import { SearchField } from "../../parts/search-field.tsx";

const SHOWN = ["running", "queued", "finished", "failed", "stopped", "created"] as const;
const WHOSE = { "": "My runs", "shared-with-me": "Shared with me", "shared-by-me": "Shared by me" } as const;
const SORTS = { desc: "Newest first", asc: "Oldest first", "cpu-desc": "Most CPU first" } as const;

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
      <SearchField label="Search by name" value={wanted.search} onChange={(search) => onChange({ search })} />
      <div
        role="group"
        aria-label="Status"
        className="flex gap-1 max-sm:w-full max-sm:overflow-x-auto sm:flex-wrap"
      >
        {SHOWN.map((status) => (
          <StatusChip
            key={status}
            status={status}
            isOn={wanted.status.includes(status)}
            onToggle={() => toggle(status)}
          />
        ))}
      </div>
      {wanted.name !== "" && (
        <Button
          look="quiet"
          aria-label={`Show other names than ${wanted.name}`}
          onClick={() => onChange({ name: "" })}
        >
          {wanted.name} <X size={14} aria-hidden />
        </Button>
      )}
      {wanted.name !== "" && <ParameterFilter parameter={wanted.parameter} onChange={onChange} />}
      {wanted.tag !== "" && (
        <Button
          look="quiet"
          aria-label={`Show runs without the tag ${wanted.tag}, too`}
          onClick={() => onChange({ tag: "" })}
        >
          #{wanted.tag} <X size={14} aria-hidden />
        </Button>
      )}
      <span className="ml-auto grid grid-cols-[1fr_1fr_1.25fr] gap-2 max-sm:w-full sm:flex sm:flex-wrap">
        <Choice
          label="Whose"
          value={wanted.whose}
          options={WHOSE}
          onChange={(whose) => onChange({ whose })}
        />
        <Choice
          label="Time"
          value={wanted.since}
          options={{ "": "Any time", ...SINCE }}
          onChange={(since) => onChange({ since })}
        />
        <Choice label="Order" value={wanted.sort} options={SORTS} onChange={(sort) => onChange({ sort })} />
      </span>
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
      className={`flex h-8 shrink-0 items-center gap-1.5 rounded-full border px-2.5 text-sm ${
        isOn ? "border-accent bg-tint font-medium" : "border-line bg-surface text-muted hover:bg-raised"
      }`}
    >
      <StatusIcon status={status} size={14} />
      {status}
    </button>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value as Value)}
      className="h-8 min-w-0 rounded-md border border-line bg-surface px-2 max-sm:text-sm"
    >
      {Object.entries<string>(options).map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}
