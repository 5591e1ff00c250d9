import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";

export async function version(cli: CliContext, { flags }: Call): Promise<void> {
  cli.print(
    flags("json")
      ? JSON.stringify({ version: cli.version, node: cli.nodeVersion })
      : `reprise ${cli.version}`,
  );
}
