import type { UseMutationResult } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Trouble } from "./notes.tsx";

interface AskProps {
  readonly title: string;
  /** With a label, a text is asked for. Without, only whether to do it. */
  readonly label?: string;
  readonly value?: string;
  readonly verb: string;
  readonly isDangerous?: boolean;
  // The text is left out if there is no label.
  readonly work: UseMutationResult<unknown, unknown, string> | UseMutationResult<unknown, unknown, void>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Asks for a text, or whether to do something that cannot be undone. */
export function Ask({ title, label, value = "", verb, isDangerous, work, onClose, children }: AskProps) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    (work.mutate as (text: string) => void)(text);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        {children && <div className="text-muted">{children}</div>}
        {label !== undefined && (
          <label className="block space-y-1">
            <span className="font-medium">{label}</span>
            <input
              required
              value={text}
              onChange={(event) => setText(event.target.value)}
              className="h-9 w-full rounded-md border border-line bg-canvas px-3"
            />
          </label>
        )}
        {work.error !== null && <Trouble error={work.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDangerous ? "danger" : "main"} disabled={work.isPending}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
