import type { CliContext, SettingOptions } from "#cli/context";
import { type Finding, note, ok, warning } from "#cli/server/doctor/finding";
import { versionOf } from "#cli/server/doctor/programs";

const ADVICE =
  "Run `reprise setup snakemake`, or install Snakemake 8 or 9 where the server's PATH finds it, or name it with --snakemake.";
/** Python takes a second to start, and longer on a busy machine. */
const PYTHON_MAX_MS = 30_000;
/** Versions with the interface required by our plugin. */
const SUPPORTED = /^(?:8|9|\d{2,})\./;

/** Checks Snakemake alone: all other languages are built in. */
export async function checkLanguages(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { languages, snakemake } = await cli.reportLanguages(settings);
  const all = languages.join(", ");
  if (snakemake === undefined)
    return note("languages", `${all}. For snakemake, ${ADVICE.replace(/^R/, "r")}`);
  const version = await versionOf(snakemake, PYTHON_MAX_MS);
  if (version === undefined)
    return warning(
      "languages",
      `${all}. ${snakemake} does not print its version: its runs will fail. ${ADVICE}`,
    );
  if (!SUPPORTED.test(version))
    return warning("languages", `${all}. ${snakemake} is ${version}: its runs will fail. ${ADVICE}`);
  return ok("languages", `${all} (by ${snakemake}, ${version})`);
}

const JUPYTER_ADVICE =
  "run `reprise setup jupyter`, or install JupyterLab where the server's PATH finds it, or name it with --jupyter";

/** Reports the programs available for `reprise notebook`. */
export async function checkNotebooks(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  const { isOn, jupyter, allowsImages } = await cli.reportNotebooks(settings);
  if (!isOn) return note("notebooks", "off (--jupyter none)");
  if (jupyter === undefined)
    return note(
      "notebooks",
      allowsImages
        ? `only in images that have JupyterLab. For others, ${JUPYTER_ADVICE}`
        : `none: ${JUPYTER_ADVICE}`,
    );
  const version = await versionOf(jupyter, PYTHON_MAX_MS);
  if (version === undefined)
    return warning(
      "notebooks",
      `${jupyter} does not print its version: notebooks will fail; ${JUPYTER_ADVICE}`,
    );
  return ok("notebooks", `JupyterLab ${version} (${jupyter})`);
}
