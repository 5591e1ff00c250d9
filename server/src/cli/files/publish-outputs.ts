import type { CliContext } from "#cli/context";
import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { chosenRun, runParams } from "#cli/run-address";

/** Publishes the outputs of a run, or the rest of them. Ends with 1 if not all of them are published. */
export async function publishOutputs(cli: CliContext, call: Call): Promise<number> {
  const params = runParams(chosenRun(cli, call, call.args[0]));
  const client = await openClient(cli, call);
  for (;;) {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/publish-outputs", { params });
    const { state, message } = data!;
    if (state === "publishing") {
      cli.printError(message);
      continue;
    }
    if (call.flags("json")) cli.print(JSON.stringify(data));
    else if (state === "published") cli.print(message);
    else cli.printError(message);
    return state === "published" ? 0 : 1;
  }
}
