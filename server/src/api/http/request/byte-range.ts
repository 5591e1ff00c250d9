export interface ByteRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/**
 * Returns the part of a file of this size that a `Range` header requests: one range, the whole file (no
 * header, another unit, several ranges, or a malformed range, which a server may ignore by RFC 9110), or
 * "unsatisfiable".
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const match = /^bytes=\s*([0-9]*)\s*-\s*([0-9]*)\s*$/i.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return "whole";
  if (match[1] === "") return lastBytes(Number(match[2]), size);
  const first = Number(match[1]);
  const last = match[2] === "" ? Infinity : Number(match[2]);
  if (last < first) return "whole";
  if (first >= size) return "unsatisfiable";
  return { first, last: Math.min(last, size - 1) };
}

function lastBytes(count: number, size: number): ByteRange | "unsatisfiable" {
  if (count === 0 || size === 0) return "unsatisfiable";
  return { first: Math.max(0, size - count), last: size - 1 };
}
