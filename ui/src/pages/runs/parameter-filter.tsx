import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { RunsWanted } from "../../api/asks.ts";
import { Button } from "../../parts/button.tsx";

interface ParameterFilterProps {
  readonly parameter: readonly string[];
  readonly onChange: (change: Pick<RunsWanted, "parameter">) => void;
}

/** Filters runs by parameter values: `half_life=2`. */
export function ParameterFilter({ parameter, onChange }: ParameterFilterProps) {
  const [text, setText] = useState("");
  const add = (event: FormEvent) => {
    event.preventDefault();
    const pair = text.trim();
    if (pair.indexOf("=") < 1) return;
    setText("");
    onChange({ parameter: [...new Set([...parameter, pair])] });
  };
  return (
    <>
      <form onSubmit={add} className="flex gap-1">
        <input
          aria-label="Filter by parameter"
          placeholder="parameter=value"
          pattern=".+=.*"
          title="A parameter and its value, such as half_life=2"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-8 w-40 rounded-md border border-line bg-surface px-2 placeholder:text-muted"
        />
        <Button type="submit" look="quiet">
          Filter
        </Button>
      </form>
      {parameter.map((pair) => (
        <Button
          key={pair}
          look="quiet"
          aria-label={`Show runs with other values than ${pair}`}
          onClick={() => onChange({ parameter: parameter.filter((one) => one !== pair) })}
        >
          {pair} <X size={14} aria-hidden />
        </Button>
      ))}
    </>
  );
}
