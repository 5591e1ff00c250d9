import { timingSafeEqual } from "node:crypto";

/** Compares two secrets in a time that does not depend on where they differ. */
export function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
