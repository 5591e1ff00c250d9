import { createHash } from "node:crypto";
import type { EngineRun } from "#engines/engine";
import type { Language } from "#workflow/language";

/** Maximum length of a component. Leaves room for suffixes. */
const COMPONENT_MAX = 120;
const HASH_DIGITS = 16;

/**
 * Returns the folder of a job below the workspace: `<language>/<run>/<step path>`. A restart
 * shares the workspace with earlier runs, and the run's number keeps their files apart. Each component of the
 * step path becomes one component of the folder, and different step paths get different folders.
 */
export function jobFolder(
  language: Language,
  { number }: Pick<EngineRun, "number">,
  stepPath: readonly string[],
): string {
  return [language, number, ...stepPath.map(component)].join("/");
}

/** Keeps letters, digits and `._-`, and writes every other byte as `%2F`. A name does not start with a dot. */
function component(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]|^\./gu, percent);
  if (plain === "") return "%";
  if (plain.length <= COMPONENT_MAX) return plain;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_DIGITS);
  return `${plain.slice(0, COMPONENT_MAX - HASH_DIGITS - 1)}%${hash}`;
}

function percent(character: string): string {
  const bytes = Buffer.from(character);
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
