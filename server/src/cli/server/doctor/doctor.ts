import { checkDatabase } from "#cli/server/doctor/database";
import type { Finding, State } from "#cli/server/doctor/finding";
import {
  checkDataFolder,
  checkDiskSpace,
  checkNode,
  checkSandbox,
  checkSystem,
} from "#cli/server/doctor/machine";
import { checkBackup, checkLog } from "#cli/server/doctor/files";
import { checkBash, checkGit } from "#cli/server/doctor/programs";
import { checkQueue, checkServer } from "#cli/server/doctor/server";
import { EXIT_FAILURE } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";
import { type Marks, marksFor } from "#cli/terminal/marks";

const SIGNS = { ok: "good", note: "note", warning: "warning", missing: "bad" } as const satisfies Record<
  State,
  keyof Marks
>;

/**
 * Reports what is present and what is missing. Changes nothing. The exit code is 1 if something required is missing.
 */
export async function doctor(host: CliHost, settings: SettingOptions, asJson: boolean): Promise<number> {
  const folder = host.dataFolder(settings);
  const programs = await Promise.all([checkBash(), checkGit()]);
  const places = await Promise.all([
    checkDataFolder(folder),
    checkDiskSpace(folder, host.minFreeBytes(settings)),
    checkDatabase(host, settings),
    checkServer(folder),
    checkQueue(host, settings),
    checkBackup(folder),
    checkLog(folder),
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
  else tell(host, findings);
  return isFine ? 0 : EXIT_FAILURE;
}

function tell(host: CliHost, findings: readonly Finding[]): void {
  const marks = marksFor(host.environment, host.isTerminal);
  for (const { state, name, sentence } of findings) {
    host.print(`${marks[SIGNS[state]]} ${name.padEnd(12)} ${sentence}`);
  }
}
