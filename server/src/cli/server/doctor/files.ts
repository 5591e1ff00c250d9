import { statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { SettingsReport } from "#cli/context";
import { type Finding, missing, note, ok, warning } from "#cli/server/doctor/finding";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { codeOf } from "#plumbing/errors";
import { shortSize } from "#plumbing/text/human-size";
import { parseJson } from "#plumbing/formats/json";
import { maybeReadFile } from "#plumbing/secrets/secret-file";
import { counted } from "#plumbing/text/counted";

/** Log size above which a warning is printed. The server normally rotates its log long before this size. */
const LARGE_LOG_BYTES = 2 ** 30;

/** Checks the settings from all sources, and that nobody else can read a file that holds secrets. */
export function checkSettings({ path: file, isThere, set, hasSecrets, problems }: SettingsReport): Finding {
  if (problems.length > 0) return missing("settings", problems.join(" "));
  if (!isThere) return note("settings", `no file ${file}: options, environment and defaults apply`);
  const sentence = `${counted(set, "setting")} in ${file}`;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if (!hasSecrets || (mode & OTHERS_MAY_READ) === 0) return ok("settings", sentence);
  return warning("settings", `${sentence}. It holds a secret, and others can read it: chmod 600 ${file}`);
}

const OTHERS_MAY_READ = 0o044;

export async function checkBackup(dataFolder: string): Promise<Finding> {
  const text = await maybeReadFile(dataFolderPaths(dataFolder).lastBackup);
  if (text === undefined)
    return note("backup", "none of this data folder is known; `reprise backup` makes one");
  const { at, folder } = parseJson(text, "last-backup.json") as {
    readonly at: string;
    readonly folder: string;
  };
  return ok("backup", `the last one was made at ${at}, in ${folder}`);
}

export async function checkLog(dataFolder: string): Promise<Finding> {
  const { log } = dataFolderPaths(dataFolder);
  const bytes = statSync(log, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return note("log", `${log} is not there yet`);
  const sentence = `${shortSize(bytes)} in ${log}`;
  if (bytes < LARGE_LOG_BYTES) return ok("log", sentence);
  return warning("log", `${sentence}. Check that its folder can be written, and --log-max-size.`);
}

/** Reports the size of the store of fetched inputs. The server keeps it below `--input-store-size`. */
export async function checkInputStore(dataFolder: string): Promise<Finding> {
  const folder = path.join(dataFolderPaths(dataFolder).contents, "sha256");
  let [count, bytes] = [0, 0];
  for (const first of await namesIn(folder)) {
    for (const name of await namesIn(path.join(folder, first))) {
      const found = await stat(path.join(folder, first, name)).catch(ignoreAbsent);
      count += found ? 1 : 0;
      bytes += found?.size ?? 0;
    }
  }
  if (count === 0) return note("input store", "no run has fetched an input from an address");
  return ok("input store", `${counted(count, "fetched input")} (${shortSize(bytes)}) in ${folder}`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(ignoreAbsent)) ?? [];
}

/** The server may remove inputs from its store at any time. */
function ignoreAbsent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
