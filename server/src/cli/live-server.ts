import path from "node:path";
import { dataFolderPaths } from "#plumbing/data-folder";
import { parseJson } from "#plumbing/json";
import { maybeReadFile } from "#plumbing/secret-file";

/** What the running server wrote down about itself; a server that was killed leaves it behind. */
export interface LiveServer {
  readonly url: string;
  readonly pid: number;
}

export async function maybeLiveServer(dataFolder: string): Promise<LiveServer | undefined> {
  const file = dataFolderPaths(dataFolder).server;
  const text = await maybeReadFile(file);
  if (text === undefined) return undefined;
  const { url, pid } = parseJson(text, path.basename(file)) as Partial<LiveServer>;
  return url !== undefined && pid !== undefined ? { url, pid } : undefined;
}
