import type { RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { runParams } from "#cli/run-address";

/** Warns on standard error if the files in the workspace may come from another run. */
export async function warnOfReplacedResults(
  cli: CliContext,
  client: RepriseClient,
  run: string,
): Promise<void> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/results", {
    params: runParams(run),
  });
  if (data!.note !== null) cli.printError(`Warning: ${data!.note}`);
}
