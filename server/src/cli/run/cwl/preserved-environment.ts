import { type Call, optionsOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";

type Variables = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z_]\w*$/;

/** Returns the environment variables that the command passes to its jobs. */
export function preservedEnvironment(cli: Pick<CliContext, "environment">, call: Call): Variables {
  const all = Object.entries(cli.environment).flatMap(([name, value]) =>
    value !== undefined && NAME.test(name) ? [[name, value] as const] : [],
  );
  if (call.flags("preserveEntireEnvironment")) return Object.fromEntries(all);
  const names = optionsOf(call, "preserveEnvironment");
  const known = new Map(all);
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new UsageError(
      `The variable \`${missing}\` of --preserve-environment is not set. Set it, or leave the option out.`,
    );
  return Object.fromEntries(names.map((name) => [name, known.get(name)!] as const));
}
