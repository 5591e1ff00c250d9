import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { shares } from "../../api/run-asks.ts";
import { lookAgain, shareRun, unshareRun } from "../../api/changes.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";

interface ShareDialogProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** Shows the readers of a run, and changes them. Readers see everything about the run and change nothing. */
export function ShareDialog({ id, name, onClose }: ShareDialogProps) {
  const { data, error } = useQuery(shares(id));
  const remove = useMutation({
    mutationFn: (reader: string) => unshareRun(id, reader),
    onSuccess: lookAgain,
  });
  const failure = error ?? remove.error;
  return (
    <Dialog title={`Share ${name}`} onClose={onClose}>
      <div className="space-y-4">
        <p className="text-muted">Readers see its logs, files and results. They cannot change it.</p>
        <ShareForm id={id} />
        {failure && <Trouble error={failure} />}
        {!data && !error && <Waiting lines={2} />}
        {data?.length === 0 && <p className="text-muted">It is not shared with anybody.</p>}
        <ul className="divide-y divide-line">
          {data?.map(({ user_email: reader, valid_until: until }) => (
            <li key={reader} className="flex items-center gap-3 py-2">
              <span className="min-w-0 flex-1 wrap-anywhere">
                {reader}
                {until && (
                  <span className="block text-sm text-muted">
                    until <Time at={until} />
                  </span>
                )}
              </span>
              <Button look="danger" aria-label={`Remove ${reader}`} onClick={() => remove.mutate(reader)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

const FIELD = "h-9 rounded-md border border-line bg-canvas px-3 placeholder:text-muted";

function ShareForm({ id }: { readonly id: string }) {
  const [reader, setReader] = useState("");
  const [until, setUntil] = useState("");
  const share = useMutation({
    mutationFn: () => shareRun(id, { reader: reader.trim(), until }),
    async onSuccess() {
      setReader("");
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    share.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-2">
      <input
        required
        aria-label="E-mail address or group:name"
        placeholder="E-mail address or group:name"
        value={reader}
        onChange={(event) => setReader(event.target.value)}
        className={`${FIELD} w-full`}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label className="flex items-center gap-2 text-sm text-muted">
          Last day, if any
          <input
            type="date"
            value={until}
            onChange={(event) => setUntil(event.target.value)}
            className={`${FIELD} text-ink`}
          />
        </label>
        <Button type="submit" look="main" className="h-9" disabled={share.isPending}>
          Share
        </Button>
      </div>
      {share.error && <Trouble error={share.error} />}
    </form>
  );
}
