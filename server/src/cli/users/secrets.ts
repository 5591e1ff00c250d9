import { readFile } from "node:fs/promises";
import path from "node:path";
import { inColumns } from "#cli/terminal/columns";
import { CommandError, UsageError } from "#cli/failure";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { confirm } from "#cli/terminal/confirm";
import { openClient } from "#cli/connection/open-client";
import { codeOf } from "#plumbing/errors";

/** The commands for secrets, which all runs of a user receive. A value is never an argument and is never printed. */

export async function listSecrets(cli: CliContext, call: Call): Promise<void> {
  const { data } = await (await openClient(cli, call)).GET("/api/secrets");
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const rows = data!.map(({ name, type }) => [name, type === "env" ? "variable" : "file"]);
  for (const line of inColumns([["NAME", "KIND"], ...rows])) cli.print(line);
}

/** Adds a secret. A variable's value is read from standard input, a file from this machine. */
export async function addSecret(cli: CliContext, call: Call): Promise<void> {
  const file = optionOf(call, "file");
  const [given] = call.args;
  const name = given ?? (file === undefined ? undefined : path.basename(file));
  if (name === undefined) throw new UsageError("Name the variable, or the file with --file.");
  const value = file === undefined ? await readValue(cli) : await readBytes(file);
  const type = file === undefined ? "env" : "file";
  await (
    await openClient(cli, call)
  ).POST("/api/secrets", {
    params: { query: { overwrite: call.flags("overwrite") } },
    body: { [name]: { type, value: value.toString("base64") } },
  });
  cli.print(call.flags("json") ? JSON.stringify({ name, type }) : `Added the secret ${name}.`);
}

/** Reads the value without the newline that `echo` adds. */
async function readValue(cli: CliContext): Promise<Buffer> {
  const text = (await cli.readInput()).replace(/\r?\n$/, "");
  if (text === "") throw new UsageError("The value is read from standard input, which was empty.");
  return Buffer.from(text);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new CommandError(`There is no file ${file}.`);
    if (codeOf(error) === "EISDIR") throw new CommandError(`${file} is a folder: a secret is one file.`);
    throw error;
  }
}

export async function deleteSecrets(cli: CliContext, call: Call): Promise<void> {
  const client = await openClient(cli, call);
  const known = new Set((await client.GET("/api/secrets")).data!.map(({ name }) => name));
  const missing = call.args.filter((name) => !known.has(name));
  if (missing.length > 0) {
    throw new CommandError(`There is no secret ${missing.join(", ")}. Nothing was deleted.`);
  }
  await confirm(cli, call, `Delete ${call.args.join(", ")}? Later runs do not receive it. [y/N] `);
  await client.DELETE("/api/secrets", { body: [...call.args] });
  cli.print(call.flags("json") ? JSON.stringify({ deleted: call.args }) : `Deleted ${call.args.join(", ")}.`);
}
