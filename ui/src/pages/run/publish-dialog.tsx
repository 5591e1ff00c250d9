import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { queryCache } from "../../api/cache.ts";
import { publishRun } from "../../api/changes.ts";
import { type Publication, publication, type RunRecord } from "../../api/run-asks.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FIELD, Field } from "../../parts/field.tsx";
import { FormEnd } from "../../parts/form-end.tsx";

interface PublishDialogProps {
  readonly run: RunRecord;
  readonly known: Publication | undefined;
  readonly onClose: () => void;
}

const SECRETS: Readonly<Record<string, string>> = {
  zenodo: "ZENODO_TOKEN",
  "zenodo-sandbox": "ZENODO_SANDBOX_TOKEN",
};

/** Asks where a draft of a run is made, and for the creators if no CITATION.cff names them. */
export function PublishDialog({ run, known, onClose }: PublishDialogProps) {
  const [to, setTo] = useState(known?.to ?? "zenodo");
  const [secret, setSecret] = useState("");
  const [creators, setCreators] = useState("");
  const work = useMutation({
    mutationFn: () => publishRun(run.id, { to: to.trim(), ...secretIn(secret), ...creatorsIn(creators) }),
    async onSuccess() {
      onClose();
      await queryCache.invalidateQueries({ queryKey: publication(run.id).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <Dialog title={`Make a draft of ${run.name}`} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="text-muted">The draft is not public before you publish it.</p>
        <Field label="Server" note="zenodo, zenodo-sandbox, or the address of a server with InvenioRDM.">
          <input required value={to} onChange={({ target }) => setTo(target.value)} className={FIELD} />
        </Field>
        <Field label="Secret" note="The name of your secret with the access token for the server.">
          <input
            value={secret}
            placeholder={SECRETS[to.trim()] ?? ""}
            onChange={({ target }) => setSecret(target.value)}
            className={FIELD}
          />
        </Field>
        <Field
          label="Creators"
          note="One on each line, such as Lovelace, Ada. If empty, from the CITATION.cff of the run."
        >
          <textarea
            rows={3}
            value={creators}
            onChange={({ target }) => setCreators(target.value)}
            className={`${FIELD} h-auto py-2`}
          />
        </Field>
        <FormEnd verb="Make the draft" work={work} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function secretIn(text: string): { secret?: string } {
  const secret = text.trim();
  return secret === "" ? {} : { secret };
}

function creatorsIn(text: string): { creators?: { name: string }[] } {
  const names = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.trim()));
  return names.length === 0 ? {} : { creators: names.map((name) => ({ name })) };
}
