import { memo } from "react";
import { piecesOf } from "./ansi.ts";

interface LogLineProps {
  readonly index: number;
  readonly top: number;
  readonly text: string;
  readonly isMarked: boolean;
}

/** A line of a log. Room for its number is left free. */
export const LogLine = memo(function LogLineOfMany({ index, top, text, isMarked }: LogLineProps) {
  const pieces = piecesOf(text);
  const isPlain = pieces.length === 1 && pieces[0]!.className === "";
  return (
    <div
      data-line={index + 1}
      className={`absolute left-0 h-[17px] min-w-full pr-4 pl-16 whitespace-pre ${isMarked ? "bg-tint" : "hover:bg-raised"}`}
      style={{ top }}
    >
      {isPlain
        ? pieces[0]!.text
        : pieces.map((piece, at) => (
            <span key={at} className={piece.className}>
              {piece.text}
            </span>
          ))}
    </div>
  );
});

interface LineNumberProps {
  readonly index: number;
  readonly top: number;
  readonly isMarked: boolean;
  readonly onChoose: (index: number) => void;
}

/** The number of a line, which puts the line into the address. */
export const LineNumber = memo(function LineNumberOfMany({
  index,
  top,
  isMarked,
  onChoose,
}: LineNumberProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Link to line ${index + 1}`}
      onClick={() => onChoose(index)}
      className={`absolute left-0 h-[17px] w-16 pr-3 text-right text-muted hover:text-accent ${isMarked ? "bg-tint" : ""}`}
      style={{ top }}
    >
      {index + 1}
    </button>
  );
});
