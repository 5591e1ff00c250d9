import { absolute } from "#engines/yadage/state/places";
import { mapLeaves } from "#engines/yadage/state/references";
import { StageError } from "#engines/yadage/state/stage-error";
import type { Node } from "#engines/yadage/state/state";
import { pythonStr } from "#plumbing/formats/python-text";
import { FormatError, pythonFormat } from "#plumbing/text/python-format";

/**
 * Returns the parameters of a node with the names of its folders filled in: `{workdir}`, `{readdir0}`. As in Python, a
 * text with an unknown name is an error; a text with a position (`{}`) is unchanged.
 */
export function contextualized(node: Node): unknown {
  const named = foldersOf(node);
  return mapLeaves(node.parameters, (leaf, path) => {
    if (typeof leaf !== "string" || !/[{}]/.test(leaf)) return leaf;
    try {
      return pythonFormat(leaf, { named });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      if (error.kind === "index" || error.kind === "attribute") return leaf;
      throw new StageError(
        `its parameter "${path.join(".")}" holds ${shown(error)}. ` +
          `Folders are called ${
            Object.keys(named)
              .map((name) => `{${name}}`)
              .join(", ") || "nothing here"
          }; ` +
          "write {{ and }} for braces",
      );
    }
  });
}

/** Sorts the keys of all maps in a value: that is how Yadage passes parameters and results to templates and programs. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).toSorted((one, other) => (one < other ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, sortedKeys((value as Record<string, unknown>)[key])]));
}

export function foldersOf({ folder, readonly }: Node): Readonly<Record<string, string>> {
  return {
    ...(folder !== null && { workdir: absolute(folder) }),
    ...Object.fromEntries(readonly.map((path, index) => [`readdir${index}`, absolute(path)])),
  };
}

function shown({ kind, placeholder, message }: FormatError): string {
  if (kind === "key") return `the unknown placeholder ${placeholder}`;
  return `a brace that begins no placeholder (${message}) at ${placeholder}`;
}

interface TemplateOptions {
  readonly workdir?: string;
  /** True if lists are joined by spaces, as in commands. */
  readonly flattens: boolean;
  /** The owner of the template, for failure messages. */
  readonly what: string;
}

/** Fills the parameters of a node into a template. */
export function inTemplate(
  template: string,
  parameters: unknown,
  { workdir, flattens, what }: TemplateOptions,
): string {
  const flat = (value: unknown) =>
    flattens && Array.isArray(value) ? value.map(pythonStr).join(" ") : value;
  const folder = workdir === undefined ? {} : { workdir };
  const values = Array.isArray(parameters)
    ? { positional: parameters.map(flat), named: folder }
    : { named: { ...folder, ...namedIn(parameters, flat) } };
  try {
    return pythonFormat(template, values);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const known = Object.keys(values.named).join(", ") || "none";
    const hint = error.kind === "key" ? ` (its parameters: ${known})` : "";
    throw new StageError(
      `${what} holds ${shown(error)}${hint}. Write {{ and }} for braces that the shell is to see`,
    );
  }
}

function namedIn(parameters: unknown, flat: (value: unknown) => unknown): Record<string, unknown> {
  if (typeof parameters !== "object" || parameters === null) return { value: parameters };
  return Object.fromEntries(
    Object.entries(parameters).map(([key, value]: [string, unknown]) => [key, flat(value)]),
  );
}
