/**
 * The workflow languages that REANA knows, in the order in which it lists them; which of them this server can run
 * stands in its `Capabilities`.
 */
export const LANGUAGES = ["cwl", "serial", "yadage", "snakemake"] as const;

export type Language = (typeof LANGUAGES)[number];

export function isLanguage(word: unknown): word is Language {
  return LANGUAGES.includes(word as Language);
}
