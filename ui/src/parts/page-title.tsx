import { type ReactNode, useEffect } from "react";

interface PageTitleProps {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children?: ReactNode;
}

/** The heading of a page, which is the title of the browser's tab as well. */
export function PageTitle({ title, note, children }: PageTitleProps) {
  useEffect(() => {
    document.title = `${title} · Reprise`;
  }, [title]);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
      {note && <div className="text-muted">{note}</div>}
      <div className="ml-auto flex flex-wrap items-center gap-1.5 sm:gap-2">{children}</div>
    </div>
  );
}
