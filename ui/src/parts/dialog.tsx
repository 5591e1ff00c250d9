import { type ReactNode, useLayoutEffect, useRef } from "react";
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
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    // Gives the focus back, which removing the element does not.
    return () => element.close();
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
      // Removes the dialog at once. The browser would hide it first and report that later, and a key that is pressed
      // between the two would find a dialog that only seems to be closed.
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The browser closes the dialog itself if Escape is pressed twice.
      onClose={() => dialog.current && onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={`m-auto w-[calc(100%-2rem)] rounded-xl border border-line bg-surface p-0 text-ink shadow-xl ${
        isWide ? "max-w-3xl" : "max-w-md"
      }`}
    >
      <div className="relative p-5">
        <h2 className="mb-3 pr-8 text-lg font-semibold wrap-anywhere">{title}</h2>
        {children}
        {/* The close button comes last: the dialog then opens with the focus on its content. */}
        <CloseButton label="Close" onClose={onClose} className="absolute top-4 right-4" />
      </div>
    </dialog>
  );
}
