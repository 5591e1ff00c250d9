import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { issueToken, lookAgain, type NewToken } from "../../api/changes.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Trouble } from "../../parts/notes.tsx";

type Scope = NewToken["scope"];

export const SCOPES: Readonly<Record<Scope, string>> = {
  read: "Look at runs and their files",
  runs: "Also create, start, stop and delete runs, and change files",
  everything: "Also tokens, secrets and shares",
};

/** Days after which a token expires. 0: it never does. */
const DAYS: Readonly<Record<number, string>> = {
  7: "After 7 days",
  30: "After 30 days",
  90: "After 90 days",
  365: "After a year",
  0: "Never",
};

interface TokenFormProps {
  readonly onIssued: (issued: { readonly name: string; readonly token: string }) => void;
  readonly onClose: () => void;
}

/** Asks what a new token is for, what it may do, and how long. */
export function TokenForm({ onIssued, onClose }: TokenFormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("runs");
  const [days, setDays] = useState("90");
  const issue = useMutation({
    mutationFn: () => issueToken({ name, scope, ...(days !== "0" && { expires_in_days: Number(days) }) }),
    async onSuccess(issued) {
      onIssued(issued);
      onClose();
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    issue.mutate();
  };
  return (
    <Dialog title="New token" onClose={onClose}>
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
        {issue.error && <Trouble error={issue.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" disabled={issue.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const FIELD = "h-9 w-full rounded-md border border-line bg-canvas px-3";

function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <label className="block space-y-1">
      <span className="font-medium">{label}</span>
      {children}
    </label>
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
