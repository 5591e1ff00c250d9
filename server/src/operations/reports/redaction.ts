import type { WatchServices } from "#operations/watch/services";

/** Returns a text without secrets. */
export type Redact = (text: string) => string;

/** User and password in an address: `https://ada:secret@example.org`. */
const CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@'"<>]+@/gi;

/** Returns a function that replaces the secrets of a user by stars, and removes credentials from addresses. */
export async function redaction(
  { secrets }: Pick<WatchServices, "secrets">,
  userId: string,
): Promise<Redact> {
  const { reach, apply } = await secrets.mask(userId);
  return (text) => {
    const masked = reach === 0 ? text : apply(Buffer.from(text), false).toString();
    return withoutCredentials(masked);
  };
}

/** Removes user and password from the addresses in a text. The pattern is slow, and few texts hold such an address. */
export function withoutCredentials(text: string): string {
  return text.includes("://") && text.includes("@") ? text.replaceAll(CREDENTIALS, "$1") : text;
}

/** Redacts all texts in a JSON value, the names of fields included. */
export function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, item]) => [redact(name), redacted(item, redact)] as const,
  );
  return Object.fromEntries(entries);
}
