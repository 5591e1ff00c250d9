import type { RepriseClient } from "reprise-sdk";
import { UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";

/** Returns the run named as an argument or with `-w`, or else the run named in the environment. */
export function chosenRun({ environment }: CliContext, call: Call, argument?: string): string {
  const option = optionOf(call, "workflow");
  if (argument !== undefined && option !== undefined && argument !== option) {
    throw new UsageError(`Two workflows were named, ${argument} and ${option}: name one.`);
  }
  const named =
    argument ?? option ?? (environment["REPRISE_WORKON"] || environment["REANA_WORKON"] || undefined);
  if (named !== undefined) return named;
  throw new UsageError(
    "No workflow was named. Name one (such as fit, or fit.3), with -w, or by REPRISE_WORKON in the environment.",
  );
}

/**
 * Returns the full name of a run, such as `fit.3`. The run is given by its id, or by a name without a number,
 * which means the newest run.
 */
export async function fullNameOf(client: RepriseClient, run: string): Promise<string> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
    params: runParams(run),
  });
  return data!.name;
}

/** Returns the path parameters for a request to the API. */
export function runParams(run: string) {
  return { path: { workflow_id_or_name: run } };
}
