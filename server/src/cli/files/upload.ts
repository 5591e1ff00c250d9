import { CommandError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { fetchDeclaredPaths } from "#cli/files/fetch-declared-paths";
import { localFiles } from "#cli/files/local-files";
import { openClient } from "#cli/connection/open-client";
import { showProgress } from "#cli/terminal/show-progress";
import { fullNameOf, chosenRun } from "#cli/run-address";
import { whyOutside } from "#plumbing/files/relative-path";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";

/**
 * Uploads files and folders into a workspace. Without arguments it uploads the inputs that the specification declares.
 */
export async function upload(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call);
  const client = await openClient(cli, call);
  const paths = call.args.length > 0 ? call.args : await fetchDeclaredPaths(client, run, "inputs");
  if (call.args.length === 0) paths.forEach(refuseDeclaredOutside);
  const links = { followLinks: call.flags("followLinks") };
  const files = await localFiles(paths, links, (sentence) => cli.printError(sentence));
  if (files.length === 0) throw new CommandError(nothingToUpload(call.args));
  const { uploadFiles } = await import("reprise-sdk/node");
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = showProgress(cli, { verb: "Uploaded", files: files.length, bytes });
  const folder = optionOf(call, "to")?.replace(/\/+$/, "");
  const named = files.map((file) => (folder ? { ...file, name: `${folder}/${file.name}` } : file));
  try {
    await uploadFiles(client, {
      workflow: run,
      files: named,
      onBytes: progress.bytes,
      onChecked: progress.checked,
      onFile: progress.file,
    });
  } finally {
    progress.end();
  }
  if (call.flags("json"))
    return cli.print(JSON.stringify({ uploaded: named.map(({ name }) => name), bytes }));
  cli.print(
    `Uploaded ${counted(files.length, "file")} (${shortSize(bytes)}) to ${await fullNameOf(client, run)}.`,
  );
}

function nothingToUpload(paths: readonly string[]): string {
  return paths.length === 0
    ? "The specification declares no inputs: name the files to upload."
    : "No files were found under the given names: nothing was uploaded.";
}

/**
 * Throws if a specification names a file outside this folder, because the specification may be somebody
 * else's.
 */
function refuseDeclaredOutside(declared: string): void {
  if (whyOutside(declared) === undefined) return;
  throw new CommandError(
    `The specification declares the input ${printable(declared, 200)}, which is outside of this folder. ` +
      "Nothing was uploaded. Name the files to upload.",
  );
}
