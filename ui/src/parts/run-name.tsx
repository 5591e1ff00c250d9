import { nameParts } from "./name-parts.ts";

/**
 * The name of the analysis, and quieter the number of the run: `fit` `.12.1`. If the room is short, the middle of the
 * name is left out, never its end or the number: by these, runs of one analysis differ.
 */
export function RunName({ name }: { readonly name: string }) {
  const { start, end, number } = nameParts(name);
  return (
    <>
      <span className="sr-only">{name}</span>
      <span aria-hidden title={name} className="inline-flex max-w-full min-w-0 align-bottom">
        <span className="truncate">{start}</span>
        <span className="shrink-0 whitespace-pre">{end}</span>
        <span className="shrink-0 font-normal text-muted">{number}</span>
      </span>
    </>
  );
}
