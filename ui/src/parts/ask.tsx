import type { UseMutationResult } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { Field, FIELD } from "./field.tsx";
import { FormEnd } from "./form-end.tsx";

interface AskProps {
  readonly title: string;
  /** The label of a field for a text. Without one, the dialog only asks for consent. */
  readonly label?: string;
  readonly value?: string;
  readonly verb: string;
  readonly isDangerous?: boolean;
  // Called without the text if `label` is absent.
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
          <Field label={label}>
            <input
              required
              value={text}
              onChange={(event) => setText(event.target.value)}
              className={FIELD}
            />
          </Field>
        )}
        <FormEnd verb={verb} {...(isDangerous && { isDangerous })} work={work} onClose={onClose} />
      </form>
    </Dialog>
  );
}
