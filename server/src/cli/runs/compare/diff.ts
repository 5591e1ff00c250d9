import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { type Call, optionOf } from "#cli/call";
import { differenceLines } from "#cli/runs/compare/difference-lines";
import { withReadingClient } from "#cli/connection/open-client";

/** Prints how two runs differ. A difference is a result, not a failure: the exit code is 0. */
export async function diff(cli: CliContext, call: Call): Promise<void> {
  const [one, other] = call.args as [string, string];
  const context = contextOf(optionOf(call, "context"));
  const params = {
    path: { workflow_id_or_name: one, other },
    query: { brief: call.flags("brief"), ...(context !== undefined && { context_lines: context }) },
  };
  const { data } = await withReadingClient(cli, call, (client) =>
    client.GET("/api/workflows/{workflow_id_or_name}/comparison/{other}", { params }),
  );
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  for (const line of differenceLines(data!)) cli.print(line);
}

function contextOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const lines = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(lines) && lines >= 0) return lines;
  throw new UsageError(`--context ${text}: expected a whole number from 0.`);
}
