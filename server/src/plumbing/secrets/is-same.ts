import { timingSafeEqual } from "node:crypto";

/** Compares two secrets of equal length in constant time. */
export function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
