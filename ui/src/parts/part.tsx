import type { ReactNode } from "react";

interface PartProps {
  readonly title: string;
  readonly note?: string;
  /** Content to the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** The first column of a table stands below the heading. */
const FIRST_COLUMN = "[&_td:first-child]:pl-4 [&_th:first-child]:pl-4";

/** A section of a page with its heading. */
export function Part({ title, note, aside, children }: PartProps) {
  return (
    <section
      className={`${FIRST_COLUMN} min-w-0 break-inside-avoid overflow-x-auto rounded-lg border border-line bg-surface`}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
        <div className="min-w-0 flex-1">
          <h2 className="font-medium">{title}</h2>
          {note && <p className="text-sm text-muted">{note}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
}
