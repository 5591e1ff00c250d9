import { describe, expect, test } from "vitest";
import { readGivenInputs } from "#app/cwl/given-inputs";
import type { InputParameter } from "#engines/cwl/model/model";
import type { CwlType } from "#engines/cwl/model/types";

const optional = (type: CwlType): CwlType => ({ kind: "union", of: ["null", type] });
const listOf = (items: CwlType): CwlType => ({ kind: "array", items });

const TYPES: Readonly<Record<string, CwlType>> = {
  reads: "File",
  more: optional(listOf("File")),
  folder: "Directory",
  threads: optional("int"),
  numbers: listOf("long"),
  cut: "double",
  strict: optional("boolean"),
  name: "string",
  colour: { kind: "enum", symbols: ["red", "green"] },
  either: { kind: "union", of: ["int", "string"] },
  anything: "Any",
  pair: { kind: "record", fields: [] },
};

const parameters = Object.entries(TYPES).map(([name, type]): InputParameter => ({
  name,
  type,
  secondaryFiles: [],
  format: [],
  loadContents: false,
}));

const read = (...given: string[]) => readGivenInputs(given, parameters, "/data");

describe("an option has the type of the input", () => {
  test.each<[string[], Readonly<Record<string, unknown>>]>([
    [[], {}],
    [["--reads", "a b.fastq"], { reads: { class: "File", path: "/data/a b.fastq" } }],
    [["--reads=/x/a.fastq"], { reads: { class: "File", path: "/x/a.fastq" } }],
    [["--reads", "https://a.org/b"], { reads: { class: "File", location: "https://a.org/b" } }],
    [["--folder", "../in"], { folder: { class: "Directory", path: "/in" } }],
    [["--threads", "4"], { threads: 4 }],
    [["--cut", "-1.5e3"], { cut: -1500 }],
    [["--strict"], { strict: true }],
    [["--strict=false", "--name", "x"], { strict: false, name: "x" }],
    [["--name", "007"], { name: "007" }],
    [["--name", ""], { name: "" }],
    [["--name=a=b"], { name: "a=b" }],
    [["--name", "--strict"], { name: "--strict" }],
    [["--colour", "green"], { colour: "green" }],
    [["--either", "7"], { either: 7 }],
    [["--either", "seven"], { either: "seven" }],
    [["--anything", "7"], { anything: "7" }],
    [["--numbers", "1"], { numbers: [1] }],
    [["--numbers", "1", "--threads", "2", "--", "--numbers=3"], { numbers: [1, 3], threads: 2 }],
    [["--more", "a"], { more: [{ class: "File", path: "/data/a" }] }],
  ])("%j", (given, values) => {
    expect(read(...given)).toEqual(values);
  });
});

describe("what cannot be read is refused by a sentence", () => {
  test.each([
    [["--redas", "a"], "neither one of cwl-runner nor an input of the document; did you mean `--reads`?"],
    [["--completely-else"], "Its inputs: --reads, --more, --folder"],
    [["--reads"], "The option `--reads` needs a value (File)."],
    [["--threads", "four"], "The input `--threads` takes int?, not `four`."],
    [["--threads", "1.5"], "The input `--threads` takes int?, not `1.5`."],
    [["--threads", ""], "The input `--threads` takes int?, not ``."],
    [["--colour", "blue"], "The input `--colour` takes enum (red, green), not `blue`."],
    [["--numbers", "one"], "The input `--numbers` takes long[], not `one`."],
    [["--name", "a", "--name", "b"], "The option `--name` was given twice, and is no list (string)."],
    [["--pair", "{}"], "which no option can hold. Put it into the file with the inputs."],
    [["--strict", "false"], "`false` is not an option. Write inputs as `--name value`."],
    [["-n", "1"], "`-n` is not an option"],
  ])("%j", (given, sentence) => {
    expect(() => read(...given)).toThrow(sentence);
  });

  test("a document without inputs", () => {
    expect(() => readGivenInputs(["--a", "1"], [], "/")).toThrow("Its inputs: none.");
  });
});
