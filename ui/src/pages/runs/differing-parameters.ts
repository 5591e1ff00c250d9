interface WithParameters {
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Returns the names of the parameters in which the runs differ, in the order of the first run. */
export function differingParameters(runs: readonly WithParameters[]): readonly string[] {
  const names = new Set(runs.flatMap(({ parameters = {} }) => Object.keys(parameters)));
  return [...names].filter((name) => new Set(runs.map((run) => parameterText(run, name))).size > 1);
}

/** Returns the value of a parameter as a table shows it, or a dash if the run has none of this name. */
export function parameterText({ parameters = {} }: WithParameters, name: string): string {
  if (!Object.hasOwn(parameters, name)) return "–";
  const value = parameters[name];
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns whether one value comes before another: numbers by their size, other texts as they are written. */
export function byParameter(name: string): (one: WithParameters, other: WithParameters) => number {
  return (one, other) => {
    const [a, b] = [parameterText(one, name), parameterText(other, name)];
    return Number(a) - Number(b) || a.localeCompare(b, undefined, { numeric: true });
  };
}
