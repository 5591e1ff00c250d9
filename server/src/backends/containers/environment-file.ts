import { shellQuote } from "#plumbing/text/shell-quote";

type Values = Readonly<Record<string, string>>;

/** The variables of a job, by the way in which each enters the container. */
export interface ContainerEnvironment {
  /** The lines of the file that the runtime reads. */
  readonly lines: string;
  /** Shell code that exports the remaining variables. */
  readonly exports: string;
}

/** The runtimes read the file line by line, and a line of more than 64 KiB not at all. */
const LINE_BYTES_MAX = 60_000;

/** Splits the variables: values that do not fit on a line are exported by the shell that runs the script. */
export function containerEnvironment(values: Values): ContainerEnvironment {
  const pairs = Object.entries(values);
  const fits = ([name, value]: readonly [string, string]) =>
    !/[\n\r]/.test(value) && Buffer.byteLength(name) + Buffer.byteLength(value) < LINE_BYTES_MAX;
  return {
    lines: pairs
      .filter(fits)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
    exports: pairs
      .filter((pair) => !fits(pair))
      .map(([name, value]) => `export ${name}=${shellQuote(value)}\n`)
      .join(""),
  };
}
