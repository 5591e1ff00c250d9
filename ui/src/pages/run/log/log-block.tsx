import { memo } from "react";
import { LINE_PX, LogLine } from "./log-line.tsx";
import type { LogText } from "./log-text.ts";

/** Lines that appear and go together: a virtual list of a million lines would keep a million places. */
export const LINES_PER_BLOCK = 16;
export const BLOCK_PX = LINES_PER_BLOCK * LINE_PX;

interface LogBlockProps {
  readonly text: LogText;
  readonly index: number;
  readonly top: number;
  /** Where the log ended when this was drawn: the last line may still grow. */
  readonly end: { readonly lines: number; readonly bytes: number };
  readonly marked: number;
  readonly onChoose: (line: number) => void;
}

/** A few lines, one below the other. */
export const LogBlock = memo(
  function LogBlockOfMany({ text, index, top, end, marked, onChoose }: LogBlockProps) {
    const first = index * LINES_PER_BLOCK;
    const count = Math.min(LINES_PER_BLOCK, end.lines - first);
    return (
      <div className="absolute left-0 min-w-full" style={{ transform: `translateY(${top}px)` }}>
        {Array.from({ length: count }, (_, at) => (
          <LogLine
            key={at}
            index={first + at}
            text={text.line(first + at)}
            isMarked={first + at === marked}
            onChoose={onChoose}
          />
        ))}
      </div>
    );
  },
  (before, now) =>
    before.index === now.index &&
    before.text === now.text &&
    markedIn(before) === markedIn(now) &&
    (isWhole(before) || before.end.bytes === now.end.bytes),
);

function markedIn({ index, marked }: LogBlockProps): number | undefined {
  return Math.floor(marked / LINES_PER_BLOCK) === index ? marked : undefined;
}

/** Whether nothing can be added to the block any more: another line follows it. */
function isWhole({ index, end }: LogBlockProps): boolean {
  return end.lines > (index + 1) * LINES_PER_BLOCK;
}
