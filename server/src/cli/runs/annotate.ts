import type { components, RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { type Call, optionsOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import { runParams } from "#cli/run-address";

/** The commands for what an owner writes about a run. */

type Notes = components["schemas"]["Notes"];
type Change = components["schemas"]["SetNotesBody"];

const PATH = "/api/workflows/{workflow_id_or_name}/notes";

/** Prints the note of a run, or replaces it by a text. */
export async function note(cli: CliContext, call: Call): Promise<void> {
  const [run, text] = call.args as [string, string?];
  const client = await openClient(cli, call);
  const notes = text === undefined ? await notesOf(client, run) : await change(client, run, { note: text });
  if (call.flags("json")) return cli.print(JSON.stringify(notes));
  if (notes.note === "") return cli.printError(`${notes.workflow_name} has no note.`);
  cli.print(text === undefined ? notes.note : `Noted on ${notes.workflow_name}.`);
}

/** Adds and removes tags of a run, and prints the resulting tags. */
export async function tag(cli: CliContext, call: Call): Promise<void> {
  const [run, ...added] = call.args as [string, ...string[]];
  const removed = optionsOf(call, "remove");
  const client = await openClient(cli, call);
  const isChange = added.length + removed.length > 0;
  const notes = isChange
    ? await change(client, run, { add_tags: added, remove_tags: [...removed] })
    : await notesOf(client, run);
  if (call.flags("json")) return cli.print(JSON.stringify(notes));
  if (notes.tags.length === 0) return cli.printError(`${notes.workflow_name} has no tags.`);
  for (const one of notes.tags) cli.print(one);
}

async function notesOf(client: RepriseClient, run: string): Promise<Notes> {
  return (await client.GET(PATH, { params: runParams(run) })).data!;
}

async function change(client: RepriseClient, run: string, body: Change): Promise<Notes> {
  return (await client.PUT(PATH, { params: runParams(run), body })).data!;
}
