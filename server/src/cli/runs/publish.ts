import type { paths, RepriseClient } from "reprise-sdk";
import { type Call, optionOf, optionsOf } from "#cli/call";
import { openChangingClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { chosenRun, runParams } from "#cli/run-address";
import { printable } from "#plumbing/text/printable";
import { doiAddress } from "#workflow/run/publication";

export type PublicationReply =
  paths["/api/workflows/{workflow_id_or_name}/publication"]["get"]["responses"]["200"]["content"]["application/json"];

const POLL_INTERVAL_MS = 500;
const TEXT_MAX = 500;

/** Makes a draft of a run on another server, or publishes the draft with `--submit`, and waits until that is done. */
export async function publish(cli: CliContext, call: Call): Promise<void> {
  const run = chosenRun(cli, call, call.args[0]);
  const creators = optionsOf(call, "creator").map(creatorOf);
  const given = {
    to: optionOf(call, "to"),
    secret: optionOf(call, "secret"),
    title: optionOf(call, "title"),
    license: optionOf(call, "license"),
    creators: creators.length > 0 ? creators : undefined,
  };
  const { client, close } = await openChangingClient(cli, call);
  try {
    const { data } = await client.POST("/api/workflows/{workflow_id_or_name}/publication", {
      params: runParams(run),
      body: {
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
        submit: call.flags("submit"),
      },
    });
    const reply = await untilSent(cli, client, data!);
    if (reply.state === "failed") throw failureOf(reply);
    if (call.flags("json")) return cli.print(JSON.stringify(reply));
    for (const line of publicationLines(reply)) cli.print(line);
  } finally {
    await close();
  }
}

/** Reads `Family, Given <ORCID iD>`. The iD may be absent. */
function creatorOf(text: string): { name: string; orcid?: string } {
  const [, name = "", orcid] =
    /^\s*([^<>]+?)\s*(?:<(?:https:\/\/orcid\.org\/)?([\d-]+[\dX])>)?\s*$/.exec(text) ?? [];
  if (name === "")
    throw new UsageError(
      `"${text}" is not a creator. Write "Lovelace, Ada", or "Lovelace, Ada <0000-0002-1825-0097>" with an ORCID iD.`,
    );
  return { name, ...(orcid !== undefined && { orcid }) };
}

/** Waits until the server has taken all steps. Says once why an attempt failed that is repeated. */
async function untilSent(
  cli: CliContext,
  client: RepriseClient,
  first: PublicationReply,
): Promise<PublicationReply> {
  let said: string | null = null;
  for (let reply = first; ;) {
    if (reply.state !== "sending") return reply;
    if (reply.problem !== null && reply.problem !== said)
      cli.printError(
        `${printable(reply.problem, TEXT_MAX)} Trying again. The server goes on if you interrupt this command.`,
      );
    said = reply.problem;
    await new Promise<void>((resolve) => void cli.clock.after(POLL_INTERVAL_MS, resolve));
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/publication", {
      params: runParams(reply.workflow_id),
    });
    reply = data!;
  }
}

function failureOf({ workflow_name: name, to, problem }: PublicationReply): CommandError {
  return new CommandError(`${name} could not be published on ${to}: ${printable(problem ?? "", TEXT_MAX)}`);
}

function publicationLines(reply: PublicationReply): string[] {
  const { workflow_name: name, url, doi, state, citation } = reply;
  const address = doi === null ? "none" : doiAddress(doi);
  if (state === "published")
    return [
      `${name} is published: ${url}`,
      `DOI: ${address}`,
      `Cite it as: ${printable(citation ?? "", TEXT_MAX)}`,
    ];
  return [
    `${name} is a draft: ${url}`,
    `DOI, reserved: ${address}`,
    `Look at the draft. Publish it there, or type: reprise publish ${name} --submit`,
  ];
}
