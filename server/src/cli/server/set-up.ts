import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";

/** Makes private Python environments in the data folder. Without a name, lists them. */
export async function setUp(cli: CliContext, { args, settings, flags }: Call): Promise<void> {
  const known = await cli.reportEnvironments(settings);
  const wanted = args.map((name) => {
    const found = known.find((one) => one.name === name);
    if (!found) throw new UsageError(`Nothing is called ${name}. Name ${namesOf(known).join(" or ")}.`);
    return found;
  });
  if (wanted.length === 0) return list(cli, known, flags("json"));
  const made = [];
  for (const { name } of wanted) made.push(await cli.setUp(settings, name, (line) => cli.printError(line)));
  if (flags("json")) return cli.print(JSON.stringify(made));
  for (const { name, version, program, isNew } of made)
    cli.print(`${name} ${version} ${isNew ? "is set up" : "was set up already"}: ${program}`);
}

type Known = Awaited<ReturnType<CliContext["reportEnvironments"]>>;

function list(cli: CliContext, known: Known, asJson: boolean): void {
  if (asJson) return cli.print(JSON.stringify(known));
  const rows = known.map(({ name, version, title, program }) => [
    name,
    version,
    program ?? "not set up",
    title,
  ]);
  for (const line of inColumns([["NAME", "VERSION", "PROGRAM", "USE"], ...rows])) cli.print(line);
  cli.print(`Set one up with: reprise setup ${namesOf(known)[0]}`);
}

function namesOf(known: Known): string[] {
  return known.map(({ name }) => name);
}
