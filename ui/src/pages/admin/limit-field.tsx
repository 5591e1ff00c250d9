import { Field, FIELD } from "../../parts/field.tsx";

interface LimitFieldProps {
  readonly label: string;
  readonly example: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Field for an optional limit. */
export function LimitField({ label, example, value, onChange }: LimitFieldProps) {
  return (
    <Field label={label}>
      <input
        value={value}
        placeholder={example}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className={FIELD}
      />
    </Field>
  );
}
