import { memo } from "react";
import { piecesOf } from "./ansi.ts";

interface LogLineProps {
  readonly index: number;
  readonly top: number;
  readonly text: string;
  readonly isMarked: boolean;
  readonly onChoose: (index: number) => void;
}

/** One line with its number, which puts the line into the address. */
export const LogLine = memo(
  function LogLineOfMany({ index, top, text, isMarked, onChoose }: LogLineProps) {
    return (
      <div
        data-line={index + 1}
        className={`absolute left-0 flex h-[17px] min-w-full ${isMarked ? "bg-tint" : "hover:bg-raised"}`}
        style={{ transform: `translateY(${top}px)` }}
      >
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Link to line ${index + 1}`}
          onClick={() => onChoose(index)}
          className="sticky left-0 w-16 shrink-0 bg-inherit pr-3 text-right text-muted select-none hover:text-accent"
        >
          {index + 1}
        </button>
        <span className="pr-4 whitespace-pre">
          {piecesOf(text).map((piece, at) => (
            <span key={at} className={piece.className}>
              {piece.text}
            </span>
          ))}
        </span>
      </div>
    );
  },
  (before, now) =>
    before.text === now.text &&
    before.top === now.top &&
    before.isMarked === now.isMarked &&
    before.index === now.index,
);
