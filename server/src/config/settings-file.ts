import type { FileValue, Setting } from "#config/setting";
import { nearestWord } from "#plumbing/text/nearest-word";

/** The name of the settings file in a data folder. */
export const SETTINGS_FILE = "reprise.conf";

/** Settings for the location of the settings file. The file cannot contain them. */
const OUTSIDE = ["configFile"];

type Table = Readonly<Record<string, Setting<unknown, unknown>>>;

interface SettingsFile {
  readonly path: string;
  readonly text: string;
  readonly isInDataFolder: boolean;
}

/**
 * Reads the lines `name = value` of a settings file. The name is the option's, without its dashes; a setting without an
 * option has the name of its variable: `metrics-token`. Empty lines and lines that start with `#` are skipped. A
 * repeatable setting may have several lines. A line `[sign-in cern]` begins a section: each `key = value` below it is
 * read as `sign-in = cern.key=value`.
 */
export function parseSettingsFile(
  { path, text, isInDataFolder }: SettingsFile,
  table: Table,
  problems: string[],
): ReadonlyMap<string, FileValue> {
  const names = new Map(Object.entries(table).map(([name, one]) => [wordOf(one), name]));
  const outside = isInDataFolder ? [...OUTSIDE, "dataFolder"] : OUTSIDE;
  const values = new Map<string, FileValue>();
  let section: Section | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const where = `${path}, line ${index + 1}`;
    if (/^\s*\[/.test(line)) {
      section = maybeSection(line, names, table);
      if (!section) problems.push(`${where}: a section must be of the form [sign-in name].`);
      continue;
    }
    const [word, value] = inSection(section, line);
    const name = names.get(word);
    const before = name === undefined ? undefined : values.get(name);
    if (word === "") problems.push(`${where}: a line must be of the form name = value.`);
    else if (name === undefined) problems.push(`${where}: ${unknown(word, [...names.keys()])}`);
    else if (outside.includes(name)) problems.push(`${where}: ${word} cannot be set in this file.`);
    else if (before && !table[name]!.kind.isRepeatable) problems.push(`${where}: ${word} is set twice.`);
    else
      values.set(name, {
        text: before ? `${before.text}\n${value}` : value,
        where: `${where}: ${word}`,
      });
  }
  return values;
}

/** A section of the file: a setting with values that have a name and keys. */
interface Section {
  readonly word: string;
  readonly name: string;
}

function maybeSection(line: string, names: ReadonlyMap<string, string>, table: Table): Section | undefined {
  const [, word = "", name = ""] = /^\s*\[\s*([^\s\]]+)\s+([^\s\]]+)\s*\]\s*$/.exec(line) ?? [];
  return table[names.get(word) ?? ""]?.kind.hasSections ? { word, name } : undefined;
}

/** Returns the word and the value of a line. The word is empty if the line has another form. */
function inSection(section: Section | undefined, line: string): readonly [word: string, value: string] {
  const [, key = "", given = ""] = /^\s*([^\s=]+)\s*=(.*)$/.exec(line) ?? [];
  const value = given.trim();
  return section && key !== "" ? [section.word, `${section.name}.${key}=${value}`] : [key, value];
}

function wordOf({ option, variable }: Setting<unknown, unknown>): string {
  return option?.slice(2) ?? variable.replace("REPRISE_", "").toLowerCase().replaceAll("_", "-");
}

function unknown(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return `${word} is no setting${nearest === undefined ? "." : `; did you mean ${nearest}?`}`;
}
