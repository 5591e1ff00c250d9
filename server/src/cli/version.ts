import type { CliHost } from "#cli/host";

export function version(host: CliHost, asJson: boolean): void {
  host.print(
    asJson ? JSON.stringify({ version: host.version, node: host.nodeVersion }) : `reprise ${host.version}`,
  );
}
