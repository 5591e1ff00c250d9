/** A part of a text, which may name a line of a file. */
export interface TextPart {
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
}

const PLACE = /([^\s"'`:,][^\s"'`,]*), line (\d+)(?:, column \d+)?/g;

/** Splits a text at the places named in it, in the server's format: `tools/fit.cwl, line 3, column 5`. */
export function placesIn(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const place of text.matchAll(PLACE)) {
    parts.push({ text: text.slice(end, place.index) });
    parts.push({ text: place[0], file: place[1]!, line: Number(place[2]) });
    end = place.index + place[0].length;
  }
  return [...parts, { text: text.slice(end) }].filter((part) => part.text !== "");
}
