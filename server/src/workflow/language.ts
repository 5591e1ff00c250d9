/** The workflow languages that REANA knows; which of them this server can run stands in its `Capabilities`. */
export const LANGUAGES = ["serial", "cwl", "yadage", "snakemake"] as const;

export type Language = (typeof LANGUAGES)[number];

export function isLanguage(word: unknown): word is Language {
  return LANGUAGES.includes(word as Language);
}
