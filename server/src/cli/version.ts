import type { CliContext } from "#cli/context";

export function version(cli: CliContext, asJson: boolean): void {
  cli.print(
    asJson ? JSON.stringify({ version: cli.version, node: cli.nodeVersion }) : `reprise ${cli.version}`,
  );
}
