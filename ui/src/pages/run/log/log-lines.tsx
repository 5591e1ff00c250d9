import { type ReactNode, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { heightOf, LINE_PX, mostLines, scrollTopOf, windowAt } from "./line-window.ts";
import { LineNumber, LogLine } from "./log-line.tsx";
import type { LogText } from "./log-text.ts";

/** The part that stays in view while lines arrive and the window changes: the end, or a line in the middle. */
export type Kept = "end" | number;

const SCROLLING_KEYS = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]);

interface LogLinesProps {
  readonly text: LogText;
  readonly kept: Kept | undefined;
  /** Called when the reader scrolls or takes hold of the log. */
  readonly onLeave: () => void;
  readonly marked: number;
  readonly onChoose: (line: number) => void;
  readonly children: ReactNode;
}

/**
 * Draws the visible lines of a log. Elements are recycled, and nothing is measured: all lines have equal
 * height, and the width follows from the longest line drawn so far.
 */
export function LogLines({ text, kept, onLeave, marked, onChoose, children }: LogLinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ scrollTop: 0, height: 0 });
  const longest = useRef(0);
  const look = () => setView({ scrollTop: box.current!.scrollTop, height: box.current!.clientHeight });
  const settle = useEffectEvent(() => {
    const wanted = placeOf(kept, box.current!, text.lines);
    if (wanted !== undefined) box.current!.scrollTop = wanted;
    look();
  });
  useLayoutEffect(() => settle(), [kept, text.lines]);
  // A layout effect disconnects together with the element: a later size report would find no element.
  useLayoutEffect(() => {
    const watching = new ResizeObserver(() => settle());
    watching.observe(box.current!);
    return () => watching.disconnect();
  }, []);
  const { first, end, shiftPx } = windowAt(view, text.lines);
  const slots = mostLines(view.height);
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => {
    const index = first + at;
    const line = text.line(index);
    longest.current = Math.max(longest.current, columnsOf(line));
    return { slot: index % slots, index, line, top: index * LINE_PX + shiftPx, isMarked: index === marked };
  });
  return (
    <div
      ref={box}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Output"
      // Within the same frame, or the reader sees an empty place first.
      onScroll={() => flushSync(look)}
      // Following depends on what the reader does. The position alone says nothing: a change of the layout scrolls as well.
      onWheel={({ deltaY }) => (deltaY < 0 || kept !== "end") && onLeave()}
      onPointerDown={onLeave}
      onKeyDown={({ key }) => SCROLLING_KEYS.has(key) && onLeave()}
      className="min-h-48 flex-1 overflow-auto overscroll-contain py-2 font-mono text-xs leading-[17px]"
    >
      {children}
      <div
        className="relative min-w-full"
        style={{ height: heightOf(text.lines), width: `calc(${longest.current}ch + 5rem)` }}
      >
        {rows.map(({ slot, index, line, top, isMarked }) => (
          <LogLine key={slot} index={index} text={line} top={top} isMarked={isMarked} />
        ))}
        <div className="sticky left-0 h-full w-16 bg-surface select-none">
          {rows.map(({ slot, index, top, isMarked }) => (
            <LineNumber key={slot} index={index} top={top} isMarked={isMarked} onChoose={onChoose} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Returns how far the box is scrolled if what is kept is in its place. Undefined if the line has not arrived. */
function placeOf(kept: Kept | undefined, box: HTMLElement, lines: number): number | undefined {
  if (kept === "end") return box.scrollHeight - box.clientHeight;
  return kept === undefined || kept >= lines ? undefined : scrollTopOf(kept, box.clientHeight, lines);
}

/** Returns at least the columns that the line takes: a tab takes up to 8, a letter that is not Latin up to 2. */
function columnsOf(line: string): number {
  let columns = line.length;
  for (const [wide] of line.matchAll(/\t|[\u0300-\uffff]/g)) columns += wide === "\t" ? 7 : 1;
  return columns;
}
