import { checkDatabase } from "#cli/server/doctor/database";
import type { Finding, State } from "#cli/server/doctor/finding";
import {
  checkBackends,
  checkDataFolder,
  checkDiskSpace,
  SHARED_DISK,
  checkNode,
  checkContainers,
  checkGpus,
  checkLimits,
  checkSandbox,
  checkSystem,
} from "#cli/server/doctor/machine";
import { checkBackup, checkInputStore, checkLog, checkSettings } from "#cli/server/doctor/files";
import { checkLanguages, checkNotebooks } from "#cli/server/doctor/languages";
import { checkBash, checkGit } from "#cli/server/doctor/programs";
import { checkQueue, checkServer } from "#cli/server/doctor/server";
import { EXIT_FAILURE } from "#cli/failure";
import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { type Marks, marksFor } from "#cli/terminal/marks";

const SIGNS = { ok: "good", note: "note", warning: "warning", missing: "bad" } as const satisfies Record<
  State,
  keyof Marks
>;

/**
 * Reports the present and the missing requirements. Changes nothing. The exit code is 1 if a requirement is
 * missing.
 */
export async function doctor(cli: CliContext, { settings, flags }: Call): Promise<number> {
  const programs = await Promise.all([checkBash(), checkGit()]);
  const given = checkSettings(cli.reportSettings(settings));
  const findings = [
    checkSystem(process.platform),
    checkNode(cli.nodeVersion),
    ...programs,
    given,
    // Without usable settings the folders to check are unknown.
    ...(given.state === "missing" ? [] : await checkPlaces(cli, settings)),
  ];
  const isFine = findings.every((finding) => finding.state !== "missing");
  if (flags("json")) cli.print(JSON.stringify({ ok: isFine, checks: findings }));
  else tell(cli, findings);
  return isFine ? 0 : EXIT_FAILURE;
}

function checkPlaces(cli: CliContext, settings: Call["settings"]): Promise<readonly Finding[]> {
  const folder = cli.dataFolder(settings);
  const shared = cli.sharedFolder(settings);
  const floorOf = cli.diskFloor(settings);
  return Promise.all([
    checkSandbox(cli, settings),
    checkContainers(cli, settings),
    checkGpus(cli, settings),
    checkLimits(cli, settings),
    checkBackends(cli, settings),
    checkLanguages(cli, settings),
    checkNotebooks(cli, settings),
    checkDataFolder(folder),
    checkDiskSpace(folder, floorOf),
    ...(shared === undefined ? [] : [checkDiskSpace(shared, floorOf, SHARED_DISK)]),
    checkDatabase(cli, settings),
    checkServer(folder),
    checkQueue(cli, settings),
    checkBackup(folder),
    checkLog(folder),
    checkInputStore(folder),
  ]);
}

function tell(cli: CliContext, findings: readonly Finding[]): void {
  const marks = marksFor(cli.environment, cli.isTerminal);
  for (const { state, name, sentence } of findings) {
    cli.print(`${marks[SIGNS[state]]} ${name.padEnd(12)} ${sentence}`);
  }
}
