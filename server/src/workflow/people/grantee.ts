import { EVERYBODY } from "#workflow/people/policy";

/** A user or a group to share with, as people write it: `ada@example.org`, or `group:physics`. */
export type Grantee =
  | { readonly kind: "user"; readonly email: string }
  | { readonly kind: "group"; readonly name: string };

const GROUP_PREFIX = "group:";

export function parseGrantee(text: string): Grantee {
  return text.startsWith(GROUP_PREFIX)
    ? { kind: "group", name: text.slice(GROUP_PREFIX.length) }
    : { kind: "user", email: text };
}

/** Writes a user or a group as `parseGrantee` reads it. */
export function granteeText({
  kind,
  name,
}: {
  readonly kind: "user" | "group";
  readonly name: string;
}): string {
  return kind === "group" ? GROUP_PREFIX + name : name;
}

/**
 * Returns whether the text can name a group: letters, digits, `.`, `_` and `-`, at most 64 of them. In policies,
 * `everybody` stands for all users.
 */
export function isGroupName(text: string): boolean {
  return text !== EVERYBODY && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}
