import { useQueries } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Run } from "../../api/asks.ts";
import { specification } from "../../api/run-asks.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { counted } from "../../parts/words.ts";
import { valueOf } from "../run/start/parameters.ts";
import { commonParameters } from "./common-parameters.ts";
import type { ManyWork } from "./use-many-runs.ts";

interface RestartManyProps {
  /** The selected runs on this page. The form is made from their parameters. */
  readonly runs: readonly Run[];
  readonly count: number;
  readonly work: ManyWork;
  readonly onClose: () => void;
}

/** Restarts many runs. A filled-in value replaces that of each run. */
export function RestartMany({ runs, count, work, onClose }: RestartManyProps) {
  const known = useQueries({ queries: runs.map(({ id }) => specification(id)) });
  const isKnown = known.every(({ data }) => data !== undefined);
  const common = isKnown ? commonParameters(known.map(({ data }) => data!)) : [];
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filled = Object.entries(texts).filter(([, text]) => text !== "");
    const values = Object.fromEntries(
      filled.map(([name, text]) => [name, valueOf(text, common.find((one) => one.name === name)?.values[0])]),
    );
    work.run("restart", filled.length > 0 ? { input_parameters: values } : {});
  };
  return (
    <Dialog title={`Restart ${counted(count, "run")}`} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="text-muted">Each takes over what it can from its last run.</p>
        {!isKnown && <Waiting lines={2} />}
        {common.map(({ name, values }) => (
          <label key={name} className="block space-y-1">
            <span className="font-medium">{name}</span>
            <input
              value={texts[name] ?? ""}
              placeholder={values.length === 1 ? String(values[0]) : `${values.length} values, unchanged`}
              onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
              className="h-9 w-full rounded-md border border-line bg-canvas px-3 font-mono text-sm placeholder:text-muted"
            />
          </label>
        ))}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" disabled={work.done !== undefined}>
            Restart
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
