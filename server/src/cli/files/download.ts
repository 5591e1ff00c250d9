import type { RepriseClient } from "reprise-sdk";
import { CommandError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { unfollowedSentence } from "#cli/files/leaving-links";
import { inOpenFolders } from "#cli/files/open-folders";
import { fetchDeclaredPaths } from "#cli/files/fetch-declared-paths";
import { withReadingClient } from "#cli/connection/open-client";
import { showProgress } from "#cli/terminal/show-progress";
import { warnOfReplacedResults } from "#cli/files/results-note";
import { runParams, chosenRun } from "#cli/run-address";
import { shortSize } from "#plumbing/text/human-size";
import { counted } from "#plumbing/text/counted";

interface RemoteFile {
  readonly name: string;
  readonly bytes: number;
}

/** Downloads files of a workspace. Without arguments, downloads the outputs declared by the specification. */
export async function download(cli: CliContext, call: Call): Promise<void> {
  await withReadingClient(cli, call, (client) => downloadFrom(cli, call, client));
}

async function downloadFrom(cli: CliContext, call: Call, client: RepriseClient): Promise<void> {
  const run = chosenRun(cli, call);
  const folder = optionOf(call, "output") ?? ".";
  const wanted = call.args.length > 0 ? call.args : await fetchDeclaredPaths(client, run, "outputs");
  if (wanted.length === 0)
    throw new CommandError("The specification declares no outputs: name the files to download.");
  const files = await remoteFiles(client, run, wanted);
  await warnOfReplacedResults(cli, client, run);
  const links = new Set<string>();
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = showProgress(cli, { verb: "Downloaded", files: files.length, bytes });
  try {
    const { downloadFiles } = await import("reprise-sdk/node");
    const followLinks = call.flags("followLinks");
    await inOpenFolders({ folder, links: { followLinks } }, files, (targets) =>
      downloadFiles(client, {
        workflow: run,
        files: targets,
        onBytes: progress.bytes,
        onFile: progress.file,
        onLink: (name) => void links.add(name),
      }),
    );
  } finally {
    progress.end();
  }
  const downloaded = files.filter(({ name }) => !links.has(name));
  if (downloaded.length === 0) throw new CommandError([...links].map(unfollowedSentence).join("\n"));
  for (const name of links) cli.printError(unfollowedSentence(name));
  if (call.flags("json"))
    return cli.print(JSON.stringify({ downloaded: downloaded.map(({ name }) => name), bytes }));
  cli.print(
    `Downloaded ${counted(downloaded.length, "file")} (${shortSize(bytes)}) to ${folder === "." ? "this folder" : folder}.`,
  );
}

async function remoteFiles(
  client: RepriseClient,
  run: string,
  wanted: readonly string[],
): Promise<RemoteFile[]> {
  const found = new Map<string, RemoteFile>();
  for (const pattern of wanted) {
    const files = await matching(client, run, pattern);
    if (files.length === 0) throw new CommandError(`There is no ${pattern} in the workspace of ${run}.`);
    for (const file of files) found.set(file.name, file);
  }
  return [...found.values()];
}

/** Returns the files that match a pattern, including the contents of matching folders. */
async function matching(client: RepriseClient, run: string, pattern: string): Promise<RemoteFile[]> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/workspace", {
    params: { ...runParams(run), query: { file_name: pattern } },
  });
  return data!.items.map(({ name, size }) => ({ name, bytes: size.raw }));
}
