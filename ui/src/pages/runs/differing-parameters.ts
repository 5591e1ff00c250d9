interface WithParameters {
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Returns the names of the parameters in which the runs differ, in the order of the first run. */
export function differingParameters(runs: readonly WithParameters[]): readonly string[] {
  const names = new Set(runs.flatMap(({ parameters = {} }) => Object.keys(parameters)));
  return [...names].filter((name) => new Set(runs.map((run) => parameterText(run, name))).size > 1);
}

/** Formats the value of a parameter for a table. Returns a dash if the run lacks the parameter. */
export function parameterText({ parameters = {} }: WithParameters, name: string): string {
  if (!Object.hasOwn(parameters, name)) return "–";
  const value = parameters[name];
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns a comparison of runs by a parameter: numbers by value, other texts alphabetically. */
export function byParameter(name: string): (one: WithParameters, other: WithParameters) => number {
  return (one, other) => {
    const [a, b] = [parameterText(one, name), parameterText(other, name)];
    return Number(a) - Number(b) || a.localeCompare(b, undefined, { numeric: true });
  };
}
