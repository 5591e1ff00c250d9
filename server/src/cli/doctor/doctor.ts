import { checkDatabase } from "#cli/doctor/database";
import type { Finding, State } from "#cli/doctor/finding";
import { checkDataFolder, checkDiskSpace, checkNode, checkSandbox, checkSystem } from "#cli/doctor/machine";
import { checkBash, checkBubblewrap, checkGit } from "#cli/doctor/programs";
import { checkServer } from "#cli/doctor/server";
import { EXIT_FAILURE } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";

const SIGNS: Readonly<Record<State, string>> = { ok: "✓", warning: "!", missing: "✗" };

/** What is there and what is missing. Changes nothing. The exit code is that of a failure when something required is. */
export async function doctor(host: CliHost, settings: SettingOptions, asJson: boolean): Promise<number> {
  const folder = host.dataFolder(settings);
  const programs = await Promise.all([checkBash(), checkGit(), checkBubblewrap()]);
  const places = await Promise.all([
    checkDataFolder(folder),
    checkDiskSpace(folder),
    checkDatabase(host, settings),
    checkServer(folder),
  ]);
  const findings = [
    checkSystem(process.platform),
    checkNode(host.nodeVersion),
    ...programs,
    checkSandbox(),
    ...places,
  ];
  const isFine = findings.every((finding) => finding.state !== "missing");
  if (asJson) host.print(JSON.stringify({ ok: isFine, checks: findings }));
  else for (const finding of findings) host.print(inLine(finding));
  return isFine ? 0 : EXIT_FAILURE;
}

function inLine(finding: Finding): string {
  return `${SIGNS[finding.state]} ${finding.name.padEnd(12)} ${finding.sentence}`;
}
