import { UsageError } from "#cli/failure";
import { type Call, optionsOf } from "#cli/remote/call";

/** `--param x=1` as often as it was given. Values are texts, as they are in a command. */
export function parametersOf(call: Call): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const given of optionsOf(call, "param")) {
    const cut = given.indexOf("=");
    if (cut < 1)
      throw new UsageError(`--param ${given}: a name and a value are expected, as in --param x=1.`);
    parameters[given.slice(0, cut)] = given.slice(cut + 1);
  }
  return parameters;
}
