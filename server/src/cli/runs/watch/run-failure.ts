import type { RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { runParams } from "#cli/run-address";

/** Returns the reason why a run failed, in the sentence that is used everywhere. */
export async function maybeFailureOf(client: RepriseClient, run: string): Promise<string | undefined> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/failure", {
    params: runParams(run),
  });
  return data!.failure?.sentence;
}

export async function printFailureOf(cli: CliContext, client: RepriseClient, run: string): Promise<void> {
  const sentence = await maybeFailureOf(client, run);
  if (sentence !== undefined) cli.printError(sentence);
}
