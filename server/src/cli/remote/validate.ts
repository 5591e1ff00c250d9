import type { CliHost } from "#cli/host";
import type { Call } from "#cli/remote/call";
import { readSpecification } from "#cli/remote/specification-file";

/** Says what a server would say of a specification; asks none. */
export async function validate(host: CliHost, call: Call): Promise<void> {
  const { file, document } = await readSpecification(call.args[0]);
  const warnings = await host.checkSpecification(document);
  if (call.flags("json")) return host.print(JSON.stringify({ valid: true, warnings }));
  for (const { message } of warnings) host.complain(`Warning: ${message}`);
  const count = warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`;
  host.print(`${file} is valid${warnings.length > 0 ? `, with ${count}` : ""}.`);
}
