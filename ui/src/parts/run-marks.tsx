import { Link } from "wouter";

interface RunMarksProps {
  readonly note: string;
  readonly tags: readonly string[];
  /** True in a list, where only one line of the note fits. */
  readonly isCut?: boolean;
}

/** Shows the tags of a run, each with a link to all runs with the tag, and the owner's note. */
export function RunMarks({ note, tags, isCut = false }: RunMarksProps) {
  if (note === "" && tags.length === 0) return null;
  return (
    <span className={`flex flex-wrap items-baseline gap-x-2 gap-y-1 ${isCut ? "text-xs" : "text-sm"}`}>
      {tags.map((tag) => (
        <Link
          key={tag}
          href={`/runs?tag=${encodeURIComponent(tag)}`}
          className="rounded-full bg-tint px-2 text-ink wrap-anywhere hover:underline"
        >
          {`#${tag}`}
        </Link>
      ))}
      {note !== "" && (
        <span
          title={isCut ? note : undefined}
          className={`min-w-0 text-muted ${isCut ? "truncate" : "wrap-anywhere whitespace-pre-line"}`}
        >
          {note}
        </span>
      )}
    </span>
  );
}
