/**
 * The workflow languages that REANA knows, in the order in which it lists them. The server's `Capabilities` say which
 * of them it can run.
 */
export const LANGUAGES = ["cwl", "serial", "yadage", "snakemake"] as const;

export type Language = (typeof LANGUAGES)[number];

export function isLanguage(word: unknown): word is Language {
  return LANGUAGES.includes(word as Language);
}
