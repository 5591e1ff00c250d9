import type { ReactNode } from "react";

/** The look of a text or a choice in a form. */
export const FIELD = "h-9 w-full rounded-md border border-line bg-canvas px-3 placeholder:text-muted";

interface FieldProps {
  readonly label: string;
  /** A sentence below the field, such as the meaning of an empty field. */
  readonly note?: string;
  readonly children: ReactNode;
}

/** A form field with a label above. */
export function Field({ label, note, children }: FieldProps) {
  return (
    <label className="block space-y-1">
      <span className="block font-medium">{label}</span>
      {children}
      {note !== undefined && <span className="block text-sm text-muted">{note}</span>}
    </label>
  );
}
