import type { Declared, Texts } from "./parameters.ts";

interface ParameterFieldsProps {
  readonly declared: Declared;
  readonly texts: Texts;
  readonly onChange: (texts: Texts) => void;
}

export function ParameterFields({ declared, texts, onChange }: ParameterFieldsProps) {
  const names = Object.keys(declared);
  if (names.length === 0) return <p className="text-muted">This workflow has no parameters.</p>;
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="sr-only">Parameters</legend>
      {names.map((name) => (
        <label key={name} className="block min-w-0 space-y-1">
          <span className="block truncate font-medium">{name}</span>
          <input
            value={texts[name] ?? ""}
            inputMode={typeof declared[name] === "number" ? "decimal" : "text"}
            onChange={(event) => onChange({ ...texts, [name]: event.target.value })}
            className="h-9 w-full rounded-md border border-line bg-canvas px-3 font-mono text-sm"
          />
        </label>
      ))}
    </fieldset>
  );
}
