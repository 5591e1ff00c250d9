import { maybeSnakemakeProgram } from "#app/snakemake";
import { ENGINES } from "#app/supported";
import type { Config } from "#config/settings";
import type { LanguagesReport } from "#workflow/reports";

/** Lists the workflow languages of a server with these settings. */
export async function reportLanguages(config: Config): Promise<LanguagesReport> {
  const languages = ENGINES.map(({ language }) => language);
  const snakemake = maybeSnakemakeProgram(config);
  return snakemake === undefined ? { languages } : { languages: [...languages, "snakemake"], snakemake };
}
