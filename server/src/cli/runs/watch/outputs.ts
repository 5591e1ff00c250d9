import type { Call } from "#cli/call";
import { withReadingClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { chosenRun, runParams } from "#cli/run-address";

/** Prints the output object of a run as JSON. */
export async function outputs(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  await withReadingClient(cli, call, async (client) => {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/outputs", {
      params: runParams(run),
    });
    if (data!.outputs === null)
      throw new CommandError(
        `${data!.workflow_name} has no output object: it has not finished, or its language has none.`,
      );
    cli.print(JSON.stringify(data!.outputs, null, call.flags("json") ? 0 : 2));
  });
}
