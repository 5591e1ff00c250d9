import { ApiError, type RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { openBrowser } from "#cli/runs/open-browser";
import { openClient } from "#cli/connection/open-client";
import { chosenRun, fullNameOf, runParams } from "#cli/run-address";

/** Opens the notebook of a run in a browser and prints its address, or closes the notebook with `--close`. */
export async function notebook(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const client = await openClient(cli, call);
  if (call.flags("close")) return closeNotebook(cli, client, run);
  await openUnlessOpen(client, run, optionOf(call, "image"));
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/interactive-session-secret", {
    params: runParams(run),
  });
  const { url } = data!;
  if (call.flags("json")) return cli.print(JSON.stringify({ url }));
  await openBrowser(url, cli.environment);
  cli.print(url);
}

async function openUnlessOpen(client: RepriseClient, run: string, image: string | undefined): Promise<void> {
  try {
    await client.POST("/api/workflows/{workflow_id_or_name}/open/{type}", {
      params: { path: { ...runParams(run).path, type: "jupyter" } },
      body: image === undefined ? {} : { image },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "notebook-open")) throw error;
  }
}

async function closeNotebook(cli: CliContext, client: RepriseClient, run: string): Promise<void> {
  const name = await fullNameOf(client, run);
  await client.POST("/api/workflows/{workflow_id_or_name}/close", { params: runParams(run) });
  cli.print(`Closed the notebook of ${name}.`);
}
