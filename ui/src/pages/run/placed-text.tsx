import { Link } from "wouter";
import { placesIn } from "./places-in.ts";

/** A sentence of the server in which each place, `main.cwl, line 3, column 5`, leads to that line of the file. */
export function PlacedText({ run, text }: { readonly run: string; readonly text: string }) {
  return placesIn(text).map(({ text: part, file, line }, index) =>
    file === undefined ? (
      part
    ) : (
      <Link
        key={index}
        href={`/runs/${run}/files?${new URLSearchParams({ file, line: String(line) })}`}
        className="text-accent hover:underline"
      >
        {part}
      </Link>
    ),
  );
}
