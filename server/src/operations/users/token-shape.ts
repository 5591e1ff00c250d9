import { hash } from "node:crypto";
import type { Random } from "#plumbing/ids";

const NAME_BYTES = 4;
const SECRET_BYTES = 32;

/**
 * Generates a token, `reprise.1a2b3c4d.<secret>`: three parts with dots between, because REANA's newer clients accept a
 * token from the environment only in that shape. The middle part lets people tell tokens apart; the last one is the
 * secret.
 */
export function makeToken(random: Random): string {
  const name = random.bytes(NAME_BYTES).toString("hex");
  return `reprise.${name}.${random.bytes(SECRET_BYTES).toString("base64url")}`;
}

/** Returns the hash that is stored, and by which the token of a request is looked up. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
