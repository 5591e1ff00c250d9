import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { specification } from "../../../api/run-asks.ts";
import { act, lookAgain, type StartValues } from "../../../api/changes.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Trouble } from "../../../parts/notes.tsx";
import { Waiting } from "../../../parts/waiting.tsx";
import { PlacedText } from "../placed-text.tsx";
import { ParameterFields } from "./parameter-fields.tsx";
import { changedValues, type Declared, declaredIn, textsOf } from "./parameters.ts";
import { PlanPreview } from "./plan-preview.tsx";

interface StartDialogProps {
  readonly id: string;
  readonly action: "start" | "restart" | "rerun";
  readonly onClose: () => void;
}

const WORDS = {
  start: ["Start", "Start"],
  restart: ["Restart in the same workspace", "Restart"],
  rerun: ["Rerun in a copy of the workspace", "Rerun"],
} as const;

/**
 * A form made from the parameters. Before a restart, it shows which jobs will be reused, and why the rest
 * will run.
 */
export function StartDialog({ id, action, onClose }: StartDialogProps) {
  const { data, error } = useQuery(specification(id));
  const [title] = WORDS[action];
  return (
    <Dialog title={title} isWide={action !== "start"} onClose={onClose}>
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={3} />}
      {data && <StartForm id={id} action={action} declared={declaredIn(data)} onClose={onClose} />}
    </Dialog>
  );
}

function StartForm({ id, action, declared, onClose }: StartDialogProps & { readonly declared: Declared }) {
  const [texts, setTexts] = useState(() => textsOf(declared));
  const [isFresh, setFresh] = useState(false);
  const [, navigate] = useLocation();
  const changed = changedValues(declared, texts);
  const values: StartValues = {
    ...(Object.keys(changed).length > 0 && { input_parameters: changed }),
    ...(isFresh && { fresh: true }),
  };
  const work = useMutation({
    mutationFn: () => act(id, action, values),
    async onSuccess(next) {
      onClose();
      navigate(`/runs/${next}`);
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <ParameterFields declared={declared} texts={texts} onChange={setTexts} />
      {action !== "start" && (
        <>
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={isFresh}
              onChange={() => setFresh(!isFresh)}
              className="accent-accent"
            />
            Run everything, take nothing over
          </label>
          <PlanPreview id={id} values={values} />
        </>
      )}
      {work.error && <Trouble error={work.error} show={(text) => <PlacedText run={id} text={text} />} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="main" data-first disabled={work.isPending}>
          {WORDS[action][1]}
        </Button>
      </div>
    </form>
  );
}
