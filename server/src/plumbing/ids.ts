import { hash, randomBytes, randomUUID } from "node:crypto";

/** The only source of randomness; tests make it repeatable. */
export interface Random {
  uuid(): string;
  bytes(count: number): Buffer;
}

export const systemRandom: Random = { uuid: () => randomUUID(), bytes: (count) => randomBytes(count) };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Derives an id from the parts. Equal parts give equal ids, so a repeated request finds the result of the
 * first.
 */
export function derivedUuid(...parts: readonly (string | number)[]): string {
  const hex = hash("sha256", JSON.stringify(parts), "hex");
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
