import type { CliContext, SettingOptions } from "#cli/context";
import { type Finding, note, ok, warning } from "#cli/server/doctor/finding";
import { versionOf } from "#cli/server/doctor/programs";

const ADVICE =
  "Install Snakemake 8 or 9 (`pip install snakemake pygments`) where the server's PATH finds it, or name it with --snakemake.";
/** Python takes a second to start, and longer on a busy machine. */
const SNAKEMAKE_MAX_MS = 30_000;
/** Versions with the interface that our plugin uses. */
const SUPPORTED = /^(?:8|9|\d{2,})\./;

/** Only Snakemake depends on the machine: all other languages are built in. */
export async function checkLanguages(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { languages, snakemake } = await cli.reportLanguages(settings);
  const all = languages.join(", ");
  if (snakemake === undefined)
    return note("languages", `${all}. For snakemake, ${ADVICE.replace(/^I/, "i")}`);
  const version = await versionOf(snakemake, SNAKEMAKE_MAX_MS);
  if (version === undefined)
    return warning(
      "languages",
      `${all}. ${snakemake} does not print its version: its runs will fail. ${ADVICE}`,
    );
  if (!SUPPORTED.test(version))
    return warning("languages", `${all}. ${snakemake} is ${version}: its runs will fail. ${ADVICE}`);
  return ok("languages", `${all} (by ${snakemake}, ${version})`);
}
