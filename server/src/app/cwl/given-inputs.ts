import path from "node:path";
import type { InputParameter } from "#engines/cwl/model/model";
import { branchesOf, type CwlType, isPrimitive, typeText } from "#engines/cwl/model/types";
import { isAddress } from "#engines/documents";
import { nearestWord } from "#plumbing/text/nearest-word";
import { ParameterProblem } from "#workflow/run/given-parameters";

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads inputs that were typed as options: `--reads a.fastq --threads 4`. A value has the type of the document's input; a
 * list is typed item by item. Throws a `ParameterProblem`.
 */
export function readGivenInputs(
  given: readonly string[],
  parameters: readonly InputParameter[],
  folder: string,
): Values {
  const values: Record<string, unknown> = {};
  const words = given.filter((word) => word !== "--");
  while (words.length > 0) {
    const { parameter, text } = nextOption(words, parameters);
    const { name, type } = parameter;
    const list = listIn(type);
    if (list === undefined && Object.hasOwn(values, name))
      throw new ParameterProblem(
        `The option \`--${name}\` was given twice, and is no list (${typeText(type)}).`,
      );
    const value = valueOf(text, list ?? type, folder);
    if (value === undefined) throw unreadable(parameter, text);
    values[name] = list === undefined ? value : [...((values[name] as unknown[] | undefined) ?? []), value];
  }
  return values;
}

interface GivenOption {
  readonly parameter: InputParameter;
  readonly text: string;
}

/** Takes the first option and its value from the front of the words. */
function nextOption(words: string[], parameters: readonly InputParameter[]): GivenOption {
  const word = words.shift()!;
  const match = /^--([^=]+)(?:=(.*))?$/s.exec(word);
  if (!match) throw new ParameterProblem(`\`${word}\` is not an option. Write inputs as \`--name value\`.`);
  const [, name = "", inside] = match;
  const parameter = parameters.find((one) => one.name === name);
  if (!parameter) throw unknownOption(name, parameters);
  if (inside !== undefined) return { parameter, text: inside };
  if (branchesOf(parameter.type).includes("boolean")) return { parameter, text: "true" };
  const text = words.shift();
  if (text !== undefined) return { parameter, text };
  throw new ParameterProblem(`The option \`--${name}\` needs a value (${typeText(parameter.type)}).`);
}

function unknownOption(name: string, parameters: readonly InputParameter[]): ParameterProblem {
  const names = parameters.map((one) => one.name);
  const nearest = nearestWord(name, names);
  const known = names.length === 0 ? "none" : names.map((one) => `--${one}`).join(", ");
  const hint = nearest === undefined ? `. Its inputs: ${known}.` : `; did you mean \`--${nearest}\`?`;
  return new ParameterProblem(
    `The option \`--${name}\` is neither one of cwl-runner nor an input of the document${hint}`,
  );
}

function unreadable({ name, type }: InputParameter, text: string): ParameterProblem {
  const isWord = branchesOf(listIn(type) ?? type).some((one) => isPrimitive(one) || one.kind === "enum");
  const reason = isWord
    ? `not \`${text}\``
    : "which no option can hold. Put it into the file with the inputs";
  return new ParameterProblem(`The input \`--${name}\` takes ${typeText(type)}, ${reason}.`);
}

/** Returns the type of the items if the input is a list, or a list that may be absent. */
function listIn(type: CwlType): CwlType | undefined {
  const branches = branchesOf(type).filter((one) => one !== "null");
  const [only] = branches;
  return branches.length === 1 && !isPrimitive(only!) && only!.kind === "array" ? only!.items : undefined;
}

/** Parses a text as the first type of the union that accepts the text. Undefined if no type does. */
function valueOf(text: string, type: CwlType, folder: string): unknown {
  for (const branch of branchesOf(type)) {
    const value = isPrimitive(branch)
      ? primitiveOf(text, branch, folder)
      : branch.kind === "enum" && branch.symbols.includes(text)
        ? text
        : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const WHOLE = /^[+-]?\d+$/;

function primitiveOf(text: string, type: CwlType, folder: string): unknown {
  switch (type) {
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : undefined;
    case "int":
    case "long":
      return WHOLE.test(text) ? Number(text) : undefined;
    case "float":
    case "double":
      return NUMBER.test(text) ? Number(text) : undefined;
    case "File":
    case "Directory": {
      if (isAddress(text)) return { class: type, location: text };
      if (text.startsWith("file://")) return { class: type, location: text };
      return { class: type, path: path.resolve(folder, text) };
    }
    case "string":
    case "Any":
      return text;
    default:
      return undefined;
  }
}
