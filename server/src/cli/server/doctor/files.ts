import { statSync } from "node:fs";
import { type Finding, note, ok, warning } from "#cli/server/doctor/finding";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { shortSize } from "#plumbing/text/human-size";
import { parseJson } from "#plumbing/formats/json";
import { maybeReadFile } from "#plumbing/secrets/secret-file";

/** Log size above which a warning is printed: the server rotates its log long before, unless it cannot. */
const LARGE_LOG_BYTES = 2 ** 30;

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
