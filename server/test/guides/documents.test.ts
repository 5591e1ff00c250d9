import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { ROOT } from "./blocks.ts";

/** Documents for newcomers. Every file, option and variable named in a document must exist. */
const DOCUMENTS = [
  "{README,CONTRIBUTING,SECURITY}.md",
  "docs/architecture.md",
  "docs/guides/*.md",
  "{bench,conformance,examples,sdk}/README.md",
  "examples/*/README.md",
].flatMap((pattern) => globSync(pattern, { cwd: ROOT }));

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

/** Files written by the reader of a guide. */
const WRITTEN_BY_READER = ["server/src/backends/nice/", "server/src/engines/lines/", "largest-files"];
/** Options of foreign programs, named in a document without the program. */
const OF_OTHERS = new Set([
  "--build-arg",
  "--gres",
  "--volume",
  "--valid-until",
  "--keep-going",
  "--software-deployment-method",
]);
/** Variables other than settings are in the code by name. */
const CODE = globSync("{server/src,server/test/package,sdk/src,tools}/**/*.ts", { cwd: ROOT })
  .map(read)
  .join("");

const REFERENCE = read("docs/reference/commands.md");
const SETTINGS = read("docs/reference/settings.md");
/** The text about each command, by its name, with the settings where it refers to them. */
const COMMANDS = new Map(
  REFERENCE.split(/^## reprise /m)
    .slice(1)
    .map((text) => (text.includes("(settings.md)") ? text + SETTINGS : text))
    .map((text) => [text.slice(0, text.indexOf("\n")), text] as const),
);
const ALL_OPTIONS = [...COMMANDS.values()].join("");
const TOP_WORDS = new Set([...COMMANDS.keys()].map((name) => name.split(" ")[0]!));

describe.each(DOCUMENTS)("%s", (document) => {
  const text = read(document);

  test("links to existing targets", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(local.filter((link) => !resolves(document, link))).toEqual([]);
  });

  test("names commands of reprise, with existing options", () => {
    expect(commandsIn(text).flatMap(({ words }) => wrongWords(words))).toEqual([]);
    const options = spansOf(text).flatMap((span) => /^--[\w-]+/.exec(span)?.[0] ?? []);
    expect(options.filter((option) => !ALL_OPTIONS.includes(option) && !OF_OTHERS.has(option))).toEqual([]);
  });

  test("names existing scripts of npm, variables and files", () => {
    const scripts = [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name!);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
    const variables = [...text.matchAll(/\b(?:REPRISE|REANA)_[A-Z_]+[A-Z]\b/g)].map(([name]) => name);
    expect(variables.filter((name) => !isVariable(name))).toEqual([]);
    const files = spansOf(text).filter((span) =>
      /^(server|docs|examples|tools|sdk|bench|fixtures)\/[\w./{},*-]+$/.test(span),
    );
    const missing = files.filter((name) => globSync(name, { cwd: ROOT }).length === 0);
    expect(missing.filter((name) => !WRITTEN_BY_READER.some((part) => name.includes(part)))).toEqual([]);
  });
});

test("the README names existing tests for the promises", () => {
  const names = spansOf(read("README.md")).filter(
    (span) => span.endsWith(".test.ts") || span.endsWith("-suite.ts"),
  );
  expect(names.length).toBeGreaterThan(10);
  const missing = names.filter(
    (name) =>
      globSync(`{.,server/src,server/test,**}/${name}`, {
        cwd: path.join(ROOT, "server"),
        exclude: ["**/node_modules/**"],
      }).length +
        globSync(name, { cwd: ROOT }).length ===
      0,
  );
  expect(missing).toEqual([]);
});

test("a missing target is found", () => {
  expect(wrongWords(["serf"])).toEqual(["reprise serf"]);
  expect(wrongWords(["user", "ad"])).toEqual(["reprise user ad"]);
  expect(wrongWords(["run", "folder", "--watsh"])).toEqual(["reprise run --watsh"]);
  expect(wrongWords(["run", "--watch", "--json"])).toEqual([]);
  expect(commandsIn("`reprise run --watch` and\n```sh\nreprise list || echo\n```\nreprise is")).toEqual([
    { words: ["run", "--watch"] },
    { words: ["list"] },
  ]);
  expect(resolves("README.md", "docs/nothing.md")).toBe(false);
  expect(resolves("README.md", "docs/architecture.md#no-such-heading")).toBe(false);
});

function isVariable(name: string): boolean {
  return SETTINGS.includes(name) || REFERENCE.includes(name) || CODE.includes(name);
}

function resolves(document: string, link: string): boolean {
  const [target = "", anchor] = link.split("#");
  const file = target === "" ? document : path.join(path.dirname(document), target);
  if (!existsSync(path.join(ROOT, file))) return false;
  if (anchor === undefined) return true;
  const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchorOf(title!));
  return headings.includes(anchor);
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}

function spansOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^\s*```[^]*?^\s*```$/gm, "");
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, span]) => span!.replaceAll(/\s+/g, " "));
}

/** The commands of reprise in code: each up to the end of its line, or to what the shell does with it. */
function commandsIn(text: string): readonly { words: readonly string[] }[] {
  const blocks = [...text.matchAll(/^\s*```(?:console|sh)\n([^]*?)^\s*```$/gm)].map(([, block]) => block!);
  const lines = [...spansOf(text), ...blocks.flatMap((block) => block.split("\n"))];
  const found = lines.flatMap((line) => [
    ...line.matchAll(/(?:^|[$;&|(] *)(?:\$ )?reprise ([a-z][^|&;)#"<>]*)/g),
    ...line.matchAll(/npm run --silent reprise -- ([a-z][^|&;)#"<>]*)/g),
  ]);
  return found.map(([, rest]) => ({ words: rest!.trim().split(/\s+/) }));
}

/** Returns the parts of a command line that do not exist. Words after the command are arguments. */
function wrongWords(words: readonly string[]): readonly string[] {
  const [first = "", second = ""] = words;
  if (!TOP_WORDS.has(first)) return [`reprise ${first}`];
  const name = COMMANDS.has(`${first} ${second}`) ? `${first} ${second}` : first;
  const about = COMMANDS.get(name);
  if (about === undefined) return second === "" || second === "…" ? [] : [`reprise ${first} ${second}`];
  // The words after cwl-runner's document are the document's own inputs.
  const end = name === "cwl-runner" ? words.findIndex((word) => word.endsWith(".cwl")) : -1;
  const own = end === -1 ? words : words.slice(0, end);
  const options = own.filter((word) => /^--\w/.test(word)).map((word) => word.replace(/[=,:.].*$/, ""));
  return options.filter((option) => !about.includes(option)).map((option) => `reprise ${name} ${option}`);
}
