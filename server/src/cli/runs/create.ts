import type { Specification } from "reprise-sdk";
import { UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { createdWarnings, namingPlace } from "#cli/specification/specification-fault";
import { readSpecification } from "#cli/specification/specification-file";

/** Creates a run from a specification file or from a repository with a specification. */
export async function create(cli: CliContext, call: Call): Promise<void> {
  const [address] = call.args;
  const file = optionOf(call, "file");
  if (address !== undefined && file !== undefined) {
    throw new UsageError("Both the address of a repository and a file were given: give one.");
  }
  const links = { followLinks: call.flags("followLinks") };
  const source =
    address === undefined ? await readSpecification(file, "reprise create --file FILE", links) : undefined;
  const name = optionOf(call, "name");
  const client = await openClient(cli, call);
  const query = {
    ...(name !== undefined && { workflow_name: name }),
    ...(address !== undefined && { spec: address }),
  };
  const body = source?.document as Specification | undefined;
  const { data } = await namingPlace(source, () =>
    client.POST("/api/workflows", { params: { query }, body }),
  );
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  for (const warning of source?.warnings ?? []) cli.printError(`Warning: ${warning}`);
  for (const warning of createdWarnings(data!.validation_warnings ?? [], source))
    cli.printError(`Warning: ${warning}`);
  cli.print(`Created ${data!.workflow_name}.`);
}
