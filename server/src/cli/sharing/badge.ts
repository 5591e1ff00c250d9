import { CommandError, UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf, optionsOf } from "#cli/call";
import { findServer, openClient } from "#cli/connection/open-client";
import { runParams } from "#cli/run-address";
import { maybeJson } from "#plumbing/formats/json";
import { printable } from "#plumbing/text/printable";
import { splitPair } from "#workflow/run/given-parameters";

const BADGE_TEXT = "Launch with Reprise";
const CITATION_MAX = 2000;

/**
 * Prints a badge for a README, whose link opens the launch page of the server with a repository, and the citation of a
 * workflow.
 */
export async function badge(cli: CliContext, call: Call): Promise<void> {
  const cited = await maybeCited(cli, call);
  const repository = call.args[0] ?? cited?.repository;
  if (repository === undefined && !cited)
    throw new UsageError("No repository was named. Name its address, or a workflow with -w.");
  const launch = repository === undefined ? undefined : await launchOf(cli, call, repository);
  const citation = cited && citationIn(cited);
  if (call.flags("json"))
    return cli.print(JSON.stringify({ ...launch, ...(cited && { citation, doi: cited.doi }) }));
  if (launch)
    cli.print(call.flags("html") ? html(launch) : `[![${BADGE_TEXT}](${launch.image})](${launch.link})`);
  if (citation !== undefined) cli.print(citation);
}

interface Cited {
  readonly name: string;
  readonly citation: string | null;
  readonly doi: string | null;
  readonly repository: string | undefined;
}

async function maybeCited(cli: CliContext, call: Call): Promise<Cited | undefined> {
  const run = optionOf(call, "workflow");
  if (run === undefined) return undefined;
  const client = await openClient(cli, call);
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/publication", {
    params: runParams(run),
  });
  const { workflow_name: name, citation, doi, launcher_url: repository } = data!;
  return { name, citation, doi, repository: repository ?? undefined };
}

function citationIn({ name, citation }: Cited): string {
  if (citation !== null) return printable(citation, CITATION_MAX);
  throw new CommandError(
    `The creators of ${name} are unknown, so it cannot be cited. Add a CITATION.cff to the files of the workflow.`,
  );
}

async function launchOf(
  cli: CliContext,
  call: Call,
  repository: string,
): Promise<{ readonly link: string; readonly image: string }> {
  if (!/^https?:$/.test(URL.parse(repository)?.protocol ?? ""))
    throw new CommandError(
      `"${repository}" is not the address of a repository. Give one such as https://github.com/you/analysis.`,
    );
  const server = (await findServer(cli, call)).url.replace(/\/$/, "");
  return { link: `${server}/launch?${queryOf(call, repository)}`, image: `${server}/launcher-badge` };
}

function queryOf(call: Call, url: string): string {
  const [name, specification] = [optionOf(call, "name"), optionOf(call, "file")];
  const parameters = optionsOf(call, "param").map(splitPair);
  const query = new URLSearchParams({ url });
  if (name !== undefined) query.set("name", name);
  if (specification !== undefined) query.set("specification", specification);
  if (parameters.length > 0) {
    const values = parameters.map(([key, text]) => [key, maybeJson(text) ?? text]);
    query.set("parameters", JSON.stringify(Object.fromEntries(values)));
  }
  // Markdown ends an address at a closing parenthesis.
  return query.toString().replaceAll("(", "%28").replaceAll(")", "%29");
}

function html({ link, image }: { readonly link: string; readonly image: string }): string {
  const address = link.replaceAll("&", "&amp;");
  return `<a href="${address}"><img src="${image}" alt="${BADGE_TEXT}"></a>`;
}
