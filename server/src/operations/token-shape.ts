import { hash } from "node:crypto";
import type { Random } from "#plumbing/ids";

const NAME_BYTES = 4;
const SECRET_BYTES = 32;

/**
 * `reprise.1a2b3c4d.<secret>`: three parts with dots between, because REANA's newer clients accept a token from the
 * environment only in that shape. The middle part tells tokens apart for people; the last one is the secret.
 */
export function makeToken(random: Random): string {
  const name = random.bytes(NAME_BYTES).toString("hex");
  return `reprise.${name}.${random.bytes(SECRET_BYTES).toString("base64url")}`;
}

/** What is stored, and what a request's token is looked up by. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
