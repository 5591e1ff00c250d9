import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { lookAgain, type NewToken } from "../api/changes.ts";
import { Dialog } from "./dialog.tsx";
import { Field, FIELD } from "./field.tsx";
import { FormEnd } from "./form-end.tsx";

type Scope = NewToken["scope"];

export const SCOPES: Readonly<Record<Scope, string>> = {
  read: "Look at runs and their files",
  runs: "Also create, start, stop and delete runs, and change files",
  everything: "Also tokens, secrets and shares",
};

/** Choices for the lifetime of a token in days. 0 means unlimited. */
const DAYS: Readonly<Record<number, string>> = {
  7: "After 7 days",
  30: "After 30 days",
  90: "After 90 days",
  365: "After a year",
  0: "Never",
};

interface TokenFormProps {
  readonly title: string;
  readonly issue: (wanted: NewToken) => Promise<{ readonly token: string }>;
  readonly onIssued: (issued: { readonly name: string; readonly token: string }) => void;
  readonly onClose: () => void;
}

/** Form for the name, the permissions and the lifetime of a new token. */
export function TokenForm({ title, issue, onIssued, onClose }: TokenFormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("runs");
  const [days, setDays] = useState("90");
  const work = useMutation({
    mutationFn: () => issue({ name, scope, ...(days !== "0" && { expires_in_days: Number(days) }) }),
    async onSuccess({ token }) {
      onIssued({ name, token });
      onClose();
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <Field label="Name, such as notebook">
          <input
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            className={FIELD}
          />
        </Field>
        <ScopeChoice scope={scope} onChange={setScope} />
        <Field label="Expires">
          <select value={days} onChange={(event) => setDays(event.target.value)} className={FIELD}>
            {Object.entries(DAYS).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        <FormEnd verb="Create" work={work} onClose={onClose} />
      </form>
    </Dialog>
  );
}

interface ScopeChoiceProps {
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}

function ScopeChoice({ scope, onChange }: ScopeChoiceProps) {
  return (
    <fieldset className="space-y-1.5">
      <legend className="mb-1 font-medium">It may</legend>
      {(Object.keys(SCOPES) as Scope[]).map((one) => (
        <label key={one} className="flex gap-2">
          <input
            type="radio"
            name="scope"
            checked={one === scope}
            onChange={() => onChange(one)}
            className="mt-1 accent-accent"
          />
          <span>{SCOPES[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
