import { type Call, optionOf } from "#cli/call";
import { withReadingClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { saveFile } from "#cli/files/save-file";
import { chosenRun, fullNameOf, runParams } from "#cli/run-address";
import { shortSize } from "#plumbing/text/human-size";

/** Writes the report on a run into a file, or with `-o -` to standard output. */
export async function report(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  await withReadingClient(cli, call, async (client) => {
    const { data: html } = await client.GET("/api/workflows/{workflow_id_or_name}/report", {
      params: runParams(run),
      parseAs: "text",
    });
    const named = optionOf(call, "output");
    if (named === "-") return cli.printPart(html!);
    const file = named ?? `${await fullNameOf(client, run)}.html`;
    const bytes = await saveFile(file, [Buffer.from(html!)]);
    if (call.flags("json")) return cli.print(JSON.stringify({ report: file, bytes }));
    cli.print(`Wrote ${file} (${shortSize(bytes)}).`);
  });
}
