import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 250;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

/** A search field that searches when the user pauses. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  // While it renders: an effect could come after the first letters of a fast writer, and delete them.
  if (seen !== value) {
    setSeen(value);
    setText(value);
  }
  // Kept in a ref, because a page that renders while its list changes must not postpone the search.
  const change = useRef(onChange);
  useEffect(() => void (change.current = onChange));
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => change.current(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <label className="relative min-w-48 flex-1 sm:max-w-72">
      <span className="sr-only">{label}</span>
      <Search size={15} aria-hidden className="absolute top-2 left-2.5 text-muted" />
      <input
        type="search"
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-md border border-line bg-surface pr-2 pl-8 placeholder:text-muted"
      />
    </label>
  );
}
