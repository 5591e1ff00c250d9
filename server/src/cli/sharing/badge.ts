import { CommandError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf, optionsOf } from "#cli/call";
import { findServer } from "#cli/connection/open-client";
import { maybeJson } from "#plumbing/formats/json";
import { splitPair } from "#workflow/run/given-parameters";

const BADGE_TEXT = "Launch with Reprise";

/** Prints a badge for a README, whose link opens the launch page of the server with this repository. */
export async function badge(cli: CliContext, call: Call): Promise<void> {
  const [repository = ""] = call.args;
  if (!/^https?:$/.test(URL.parse(repository)?.protocol ?? ""))
    throw new CommandError(
      `"${repository}" is not the address of a repository. Give one such as https://github.com/you/analysis.`,
    );
  const server = (await findServer(cli, call)).url.replace(/\/$/, "");
  const link = `${server}/launch?${queryOf(call, repository)}`;
  const image = `${server}/launcher-badge`;
  if (call.flags("json")) return cli.print(JSON.stringify({ link, image }));
  cli.print(call.flags("html") ? html(link, image) : `[![${BADGE_TEXT}](${image})](${link})`);
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

function html(link: string, image: string): string {
  const address = link.replaceAll("&", "&amp;");
  return `<a href="${address}"><img src="${image}" alt="${BADGE_TEXT}"></a>`;
}
