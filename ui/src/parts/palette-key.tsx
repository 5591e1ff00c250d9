import { Search } from "lucide-react";
import { Suspense, useLayoutEffect, useState } from "react";
import { later } from "./later.ts";

const Palette = later(async () => (await import("./palette.tsx")).Palette);

/** Opens the palette: by Ctrl-K or Command-K anywhere, or by the button. */
export function PaletteKey() {
  const [isOpen, open] = useState(false);
  // A layout effect runs before the button is shown, so that an early key press is not lost.
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open((before) => !before);
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
  return (
    <>
      <button
        type="button"
        onClick={() => open(true)}
        className="flex items-center gap-2 rounded-md px-2 py-1 text-muted hover:bg-raised hover:text-ink"
      >
        <Search size={17} aria-hidden />
        <span className="sr-only">Go to</span>
        <kbd aria-hidden className="hidden rounded border border-line px-1.5 font-sans text-xs md:inline">
          Ctrl K
        </kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => open(false)} />
        </Suspense>
      )}
    </>
  );
}
