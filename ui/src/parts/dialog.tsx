import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { CloseButton } from "./close-button.tsx";

/** Gets the focus when a dialog opens. */
const FIRST = "input, select, textarea, [data-first]";

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The browser's own dialog: it holds the focus, closes with Escape, and gives the focus back. */
export function Dialog({ title, isWide = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>(FIRST)?.focus();
  }, []);
  // Focuses a form once when it appears, because its values may arrive after the dialog has opened.
  const hasForm = useRef(false);
  useLayoutEffect(() => {
    const first = dialog.current?.querySelector<HTMLElement>(FIRST);
    if (first && !hasForm.current) first.focus();
    hasForm.current = Boolean(first);
  });
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={`m-auto w-[calc(100%-2rem)] rounded-xl border border-line bg-surface p-0 text-ink shadow-xl ${
        isWide ? "max-w-3xl" : "max-w-md"
      }`}
    >
      <div className="relative p-5">
        <h2 className="mb-3 pr-8 text-lg font-semibold wrap-anywhere">{title}</h2>
        {children}
        {/* Last, so that the dialog opens with the focus on its content. */}
        <CloseButton label="Close" onClose={onClose} className="absolute top-4 right-4" />
      </div>
    </dialog>
  );
}
