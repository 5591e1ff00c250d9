/**
 * The workflow languages of REANA, in REANA's order. The server's `Capabilities` say which languages can run.
 */
export const LANGUAGES = ["cwl", "serial", "yadage", "snakemake"] as const;

export type Language = (typeof LANGUAGES)[number];

export function isLanguage(word: unknown): word is Language {
  return LANGUAGES.includes(word as Language);
}
