import { useEffect, useRef } from "react";
import { Link } from "wouter";

const TABS: readonly (readonly [name: string, title: string])[] = [
  ["log", "Log"],
  ["graph", "Graph"],
  ["timeline", "Timeline"],
  ["events", "Events"],
  ["files", "Files"],
  ["specification", "Specification"],
  ["details", "Details"],
];

/** The views of a run. Each has an address of its own. */
export function RunTabs({ id, tab }: { readonly id: string; readonly tab: string }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the bar is wider than the screen.
    const here = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (here) bar.current!.scrollLeft = here.offsetLeft - bar.current!.clientWidth / 2;
  }, [tab]);
  return (
    <nav
      ref={bar}
      aria-label="Views of the run"
      className="mb-4 flex gap-1 overflow-x-auto border-b border-line"
    >
      {TABS.map(([name, title]) => (
        <Link
          key={name}
          href={name === "log" ? `/runs/${id}` : `/runs/${id}/${name}`}
          aria-current={name === tab ? "page" : undefined}
          className={`-mb-px border-b-2 px-3 py-2 whitespace-nowrap ${
            name === tab ? "border-accent font-medium" : "border-transparent text-muted hover:text-ink"
          }`}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
