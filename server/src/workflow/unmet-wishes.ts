import { isWished } from "#workflow/wished";

/** Wishes in REANA's words that no backend can meet, by key. */
const UNMET: ReadonlyMap<string, string> = new Map([
  ["privileged", "the rights of the machine's administrator"],
  ["kubernetes_privileged", "the rights of the machine's administrator"],
]);

/** Returns whether the key expresses a wish that no backend can meet. */
export function isUnmetWish(key: string, value: unknown): boolean {
  return UNMET.has(key) && isWished(value);
}

/** Returns the sentences about what is wished for and cannot be given, by key. `who` is "The workflow", or a step. */
export function* unmetWishes(
  who: string,
  wishes: Readonly<Record<string, unknown>>,
): Generator<readonly [string, string]> {
  for (const [key, what] of UNMET) {
    if (!Object.hasOwn(wishes, key) || !isUnmetWish(key, wishes[key])) continue;
    yield [key, `${who} asks for ${what} (${key}), which this server cannot give.`];
  }
}
