import type { Call } from "#cli/call";
import { maybeNamedClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import type { NamedServer } from "#cli/specification/specification-report";
import { messageOf } from "#plumbing/errors";
import { isObject } from "#workflow/specification/shape";

/**
 * Asks the server named by the options or the environment for its languages. Only Snakemake depends on the
 * machine, so documents in other languages are checked without a server. Returns undefined if no server is
 * named or the server does not answer.
 */
export async function maybeServerLanguages(
  cli: CliContext,
  call: Call,
  document: unknown,
): Promise<NamedServer | undefined> {
  if (!isSnakemake(document)) return undefined;
  try {
    const client = await maybeNamedClient(cli, call);
    if (!client) return undefined;
    const { data } = await client.GET("/api/info");
    return { languages: data!.supported_workflow_engines.value };
  } catch (error) {
    cli.printError(`Warning: the server did not say whether it runs Snakemake. ${messageOf(error)}`);
    return undefined;
  }
}

function isSnakemake(document: unknown): boolean {
  return isObject(document) && isObject(document.workflow) && document.workflow.type === "snakemake";
}
