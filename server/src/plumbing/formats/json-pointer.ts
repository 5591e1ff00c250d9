/** JSON pointers (RFC 6901): `/map/0`. */

export function pointerOf(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${escapePart(part)}`).join("");
}

export function escapePart(part: string | number): string {
  return String(part).replaceAll("~", "~0").replaceAll("/", "~1");
}

export function partsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(pointer.startsWith("/") ? 1 : 0)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at the pointer, or undefined if it does not exist. */
export function maybeAt(document: unknown, pointer: string): unknown {
  let value: unknown = document;
  for (const part of partsOf(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
