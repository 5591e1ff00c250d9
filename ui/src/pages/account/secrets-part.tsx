import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { secrets } from "../../api/admin-asks.ts";
import { addSecret, deleteSecret, lookAgain } from "../../api/changes.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { Waiting } from "../../parts/waiting.tsx";

/** Passwords and keys for jobs. Their values are never shown. */
export function SecretsPart() {
  const { data, error } = useQuery(secrets);
  const [asked, ask] = useState<string>();
  return (
    <Part title="Secrets" note="Your jobs get them as variables. Logs show them masked.">
      <SecretForm />
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={2} />}
      <ul className="divide-y divide-line border-line not-empty:border-t">
        {data?.map(({ name, type }) => (
          <li key={name} className="flex items-center gap-4 px-4 py-2">
            <span className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{name}</span>
            <span className="text-sm text-muted">{type === "env" ? "variable" : "file"}</span>
            <Button look="danger" aria-label={`Delete ${name}`} onClick={() => ask(name)}>
              Delete …
            </Button>
          </li>
        ))}
      </ul>
      {asked !== undefined && <DeleteSecret name={asked} onClose={() => ask(undefined)} />}
    </Part>
  );
}

function DeleteSecret({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => deleteSecret(name),
    async onSuccess() {
      onClose();
      await lookAgain();
    },
  });
  return (
    <Ask title={`Delete ${name}?`} verb="Delete" isDangerous work={remove} onClose={onClose}>
      Its value cannot be read back. Jobs that start later do not get it.
    </Ask>
  );
}

const FIELD =
  "h-8 min-w-0 flex-1 basis-32 rounded-md border border-line bg-canvas px-3 placeholder:text-muted";

function SecretForm() {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const add = useMutation({
    mutationFn: () => addSecret(name, value),
    async onSuccess() {
      setName("");
      setValue("");
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2 px-4 py-3">
      <input
        required
        aria-label="Name of the secret"
        placeholder="NAME"
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        className={`${FIELD} font-mono text-sm`}
      />
      <input
        required
        type="password"
        aria-label="Value of the secret"
        placeholder="value"
        autoComplete="new-password"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        className={FIELD}
      />
      <Button type="submit" disabled={add.isPending}>
        Add
      </Button>
      {add.error && <Trouble error={add.error} />}
    </form>
  );
}
