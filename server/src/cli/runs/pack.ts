import { statfs } from "node:fs/promises";
import path from "node:path";
import { type Call, optionOf } from "#cli/call";
import { withReadingClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { chosenRun, fullNameOf } from "#cli/run-address";
import { crateAddress, saveFrom } from "#cli/runs/export";
import { codeOf } from "#plumbing/errors";
import { shortSize } from "#plumbing/text/human-size";

/** Writes a crate of a run with all that is needed to run it again. */
export async function packRun(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  await withReadingClient(cli, call, async (client) => {
    const file = optionOf(call, "output") ?? `${await fullNameOf(client, run)}.zip`;
    const address = crateAddress(call, run, { runnable: "true" });
    let starter = "";
    const check = async (headers: Headers) => {
      await requireSpace(file, Number(headers.get("x-pack-bytes")));
      starter = headers.get("x-pack-starter") ?? "";
    };
    const bytes = await saveFrom(cli, client, { address, file, check });
    if (call.flags("json")) return cli.print(JSON.stringify({ pack: file, bytes, starter }));
    cli.print(`Wrote ${file} (${shortSize(bytes)}). To run it, unpack it and type: sh ${starter}`);
  });
}

/** The zip may be smaller, but a pack that fills the disk at its end would be lost work. */
async function requireSpace(file: string, bytes: number): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  const disk = await statfs(folder).catch((error: unknown) => {
    // The write of the file names the folder that is not there.
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  });
  if (!disk || bytes <= disk.bavail * disk.bsize) return;
  throw new CommandError(
    `The pack needs up to ${shortSize(bytes)}, and the disk of ${folder} has ${shortSize(disk.bavail * disk.bsize)} left. ` +
      "Nothing was written. Name a file on another disk with -o.",
  );
}
