import type { TextPosition } from "#plumbing/formats/line-and-column";
import type { YamlDocument } from "#plumbing/formats/yaml";
import { joinPath } from "#workflow/specification/shape";

/** Returns the place of a path, such as `workflow.specification.steps.0`, in the text of a specification. */
export function placeInText({ value, placeOf }: YamlDocument, path: string): TextPosition {
  return placeOf(partsOf(value, path));
}

/** Returns the parts of a path, as far as they exist. A key may contain dots: the longest that fits is taken. */
function partsOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const [found] = Object.entries(value)
    .map(([key, part]: [string, unknown]) => ({ key, part, shown: joinPath("", writtenAs(key, value)) }))
    .filter(({ shown }) => path === shown || path.startsWith(`${shown}.`))
    .toSorted((one, other) => other.shown.length - one.shown.length);
  return found ? [found.key, ...partsOf(found.part, path.slice(found.shown.length + 1))] : [];
}

/** Old clients write `spec`, which is renamed before the check. */
function writtenAs(key: string, parent: object): string {
  return key === "spec" && !Object.hasOwn(parent, "specification") ? "specification" : key;
}
