import { memo } from "react";
import { piecesOf } from "./ansi.ts";

/** A million lines of this height fit into the tallest element that every browser shows. */
export const LINE_PX = 17;

interface LogLineProps {
  readonly index: number;
  readonly text: string;
  readonly isMarked: boolean;
  readonly onChoose: (index: number) => void;
}

/** One line with its number, which puts the line into the address. */
export const LogLine = memo(
  function LogLineOfMany({ index, text, isMarked, onChoose }: LogLineProps) {
    return (
      <div
        data-line={index + 1}
        className={`flex h-[17px] min-w-full ${isMarked ? "bg-tint" : "hover:bg-raised"}`}
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
  (before, now) => before.text === now.text && before.isMarked === now.isMarked && before.index === now.index,
);
