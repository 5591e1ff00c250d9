import type { Call } from "#cli/call";
import { warnServerUnused } from "#cli/connection/server-variables";
import type { CliContext } from "#cli/context";
import { counted } from "#plumbing/text/counted";

/** Changes the key of the data folder. Tokens stay valid, and earlier backups keep the old key. */
export async function changeKey(cli: CliContext, { settings, flags }: Call): Promise<void> {
  warnServerUnused(cli, settings, "admin change-key");
  const { values } = await cli.changeKey(settings);
  if (flags("json")) return cli.print(JSON.stringify({ values }));
  cli.print(
    `The key of ${cli.dataFolder(settings)} was changed: the new one encrypts ${counted(values, "stored value")}. ` +
      "Tokens stay valid, and earlier backups hold the old key.",
  );
}
