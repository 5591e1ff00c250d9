import path from "node:path";
import { DAY_MS } from "#plumbing/clock";
import { homeFolder } from "#plumbing/own-user";
import { SIZE_UNITS } from "#plumbing/text/size-units";
import { isEmail } from "#workflow/people/email";

/** A kind of setting value: a syntax, and words to describe it. */
export interface Kind<Value> {
  /** Completes the sentence "it must be …". */
  readonly words: string;
  /** Placeholder for the value in a command's help. */
  readonly placeholder: string;
  readonly isFlag?: boolean;
  /** True if the option may be repeated: each occurrence is a line of the value. */
  readonly isRepeatable?: boolean;
  /** True if the settings file may hold the value as sections such as `[sign-in cern]`. */
  readonly hasSections?: boolean;
  /** True if the value is left out of messages about it. */
  readonly isSecret?: boolean;
  /** Returns undefined if the text is not such a value. */
  parse(text: string, env: Environment): Value | undefined;
  /**
   * Returns the text for a value as read by `parse`. Optional: without this function, the value is shown as
   * code.
   */
  show?(value: Value): string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function word(words: string): Kind<string> {
  return { words, placeholder: "name", parse: (text) => (/^\S+$/.test(text) ? text : undefined) };
}

export function secret(words: string): Kind<string> {
  return { ...word(`${words} without blanks`), isSecret: true };
}

/** The address may contain a password, so messages never repeat a bad address. */
export function databaseAddress(): Kind<string> {
  return {
    words:
      "an address such as postgres://user:password@host/database, with special characters of the password as %XX",
    placeholder: "address",
    isSecret: true,
    // Without a host it is the address of a Unix socket, which is named in the query.
    parse: (text) =>
      /^postgres(ql)?:\/\/\S+$/.test(text) && URL.canParse(text.replace("@/", "@localhost/"))
        ? text
        : undefined,
  };
}

/** The address may contain a password, so messages never repeat a bad address. */
export function mailServer(): Kind<string> {
  return {
    words:
      "an address such as smtp://user:password@host:587 or smtps://host, with special characters of the password as %XX",
    placeholder: "address",
    isSecret: true,
    parse: (text) => (/^smtps?:\/\/[^/\s]+\/?$/.test(text) && URL.canParse(text) ? text : undefined),
  };
}

/** The address of a service, without a user, a query or a fragment. */
export function webAddress(): Kind<string> {
  return {
    words: "an https or http address without a user, a query or a fragment",
    placeholder: "address",
    parse: (text) => (/^https?:\/\/[^\s@?#]+$/.test(text) && URL.canParse(text) ? text : undefined),
  };
}

/** A host as `ssh` takes it. A word that begins with a hyphen would be an option of `ssh`. */
export function sshHost(): Kind<string> {
  const user = String.raw`(?:[\w.][\w.-]*@)?`;
  const name = String.raw`[\w.][\w.-]*`;
  const form = new RegExp(`^(?:${user}${name}|ssh://${user}(?:${name}|\\[[\\da-fA-F:.]+\\])(?::\\d{1,5})?)$`);
  return {
    words:
      "a host for ssh, such as user@login.example.org, ssh://user@login.example.org:2222, or a name in the configuration of ssh",
    placeholder: "host",
    parse: (text) => (form.test(text) ? text : undefined),
  };
}

/** An address with a port, such as `10.0.0.5:7071`, `node7.example.org:7071` or `[fd00::5]:7071`. */
export function listenAddress(): Kind<string> {
  return {
    words: "an address with a port, such as 10.0.0.5:7071",
    placeholder: "address:port",
    parse: (text) =>
      /^(\[[\da-fA-F:.]+\]|[\w.-]+):\d{1,5}$/.test(text) && URL.canParse(`http://${text}`) ? text : undefined,
  };
}

/** The address of an S3 service. `{bucket}` and `{region}` stand for the ones of a request. */
export function s3Endpoint(): Kind<string> {
  const { parse, ...kind } = webAddress();
  return {
    ...kind,
    parse: (text, env) =>
      parse(text.replace("{bucket}", "bucket").replace("{region}", "region"), env) === undefined
        ? undefined
        : text,
  };
}

export function emailAddress(): Kind<string> {
  return {
    words: "an e-mail address",
    placeholder: "e-mail",
    parse: (text) => (isEmail(text) ? text : undefined),
  };
}

export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    words: `a whole number from ${min} to ${max}`,
    placeholder: "number",
    parse: (text) => inRange(text, 1, min, max),
  };
}

const BYTE_UNITS: Readonly<Record<string, number>> = { "": 1, ...SIZE_UNITS };
const TIME_UNITS: Readonly<Record<string, number>> = { "": 1, ms: 1, s: 1000, min: 60_000 };

export function size(min: number, max: number): Kind<number> {
  return {
    words: `a number of bytes from ${min} to ${max}, or with a unit such as 16MiB (KiB, MiB, GiB, TiB)`,
    placeholder: "size",
    parse: (text) => withUnit(text, BYTE_UNITS, min, max),
    show: (value) => inUnit(value, BYTE_UNITS),
  };
}

export function duration(min: number, max: number): Kind<number> {
  return {
    words: `milliseconds from ${min} to ${max}, or with a unit such as 8s (ms, s, min)`,
    placeholder: "time",
    parse: (text) => withUnit(text, TIME_UNITS, min, max),
    show: (value) => inUnit(value, TIME_UNITS),
  };
}

const PERIOD_UNITS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: DAY_MS };

/** A long time. Its unit is required: a bare number may be meant as days, and would be read as milliseconds. */
export function period(): Kind<number> {
  return {
    words: "a time with its unit, from 1s to 10000d, such as 90d (s, min, h, d)",
    placeholder: "time",
    parse: (text) => withUnit(text, PERIOD_UNITS, 1000, 10_000 * DAY_MS),
    show: (value) => inUnit(value, PERIOD_UNITS),
  };
}

function withUnit(text: string, units: Readonly<Record<string, number>>, min: number, max: number) {
  const [, digits = "", unit = ""] = /^(\d+) ?([A-Za-z]*)$/.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  return factor === undefined ? undefined : inRange(digits, factor, min, max);
}

/** Shows a value as a whole number of the largest possible unit. */
function inUnit(value: number, units: Readonly<Record<string, number>>): string {
  const [unit, factor] = Object.entries(units).findLast(([, one]) => value >= one && value % one === 0) ?? [
    "",
    1,
  ];
  return `${value / factor}${unit}`;
}

function inRange(digits: string, factor: number, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(digits) ? Number(digits) * factor : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

export function choice<const Choice extends string>(...choices: readonly Choice[]): Kind<Choice> {
  const words = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  return { words, placeholder: choices.join("|"), parse: (text) => choices.find((one) => one === text) };
}

export function listOfChoices<const Choice extends string>(
  placeholder: string,
  ...all: readonly Choice[]
): Kind<readonly Choice[]> {
  const parse = (text: string) => {
    const found = text.split(",").map((given) => all.find((one) => one === given.trim()));
    return found.every((one) => one !== undefined) ? found : undefined;
  };
  return { words: `some of ${all.join(", ")}, with commas between them`, placeholder, parse };
}

const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false,
};

export function flag(): Kind<boolean> {
  const parse = (text: string) =>
    Object.hasOwn(FLAG_WORDS, text.toLowerCase()) ? FLAG_WORDS[text.toLowerCase()] : undefined;
  return { words: "true or false", placeholder: "", isFlag: true, parse };
}

/** Variables that must never reach a job: the server's own tokens and keys. */
const OWN_VARIABLE = /^(REPRISE_|REANA_ACCESS_TOKEN$)/;

/** Variables, one entry per line. A line without `=` may name several variables, separated by commas. */
export function variables(): Kind<Readonly<Record<string, string>>> {
  return {
    words: "NAME or NAME=value, and no variable of Reprise itself (REPRISE_…) or token of REANA's",
    placeholder: "variable",
    isRepeatable: true,
    isSecret: true,
    parse(text, env) {
      const entries = text.split("\n").flatMap((line) => (line.includes("=") ? [line] : line.split(",")));
      const pairs = entries.map((entry) => maybeVariable(entry, env));
      if (!pairs.every((pair) => pair !== undefined)) return undefined;
      return Object.fromEntries(
        pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
    },
  };
}

/** Parses one entry. A variable that is not set here has no value, and is not passed to jobs. */
function maybeVariable(
  entry: string,
  env: Environment,
): readonly [name: string, value: string | undefined] | undefined {
  const [, name = "", value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:=(.*))?$/s.exec(entry) ?? [];
  if (name === "" || OWN_VARIABLE.test(name) || value?.includes("\0")) return undefined;
  return [name, value ?? env[name]];
}

/** The stand-in for the images of a pattern: a folder, or a program with its arguments. */
interface ImageEntry {
  readonly pattern: string;
  readonly words: readonly string[];
}

/** Entries of the image map, one per line. */
export function imageMap(): Kind<readonly ImageEntry[]> {
  return {
    words:
      "the name of an image, with `*` for any text, then `=` and an absolute folder, or an absolute program with arguments",
    placeholder: "entry",
    isRepeatable: true,
    parse(text) {
      const found = text.split("\n").map((line) => {
        const [, pattern = "", rest = ""] = /^\s*([^\s=]+)=(\/.*)$/.exec(line) ?? [];
        return pattern === "" || rest.includes("\0")
          ? undefined
          : { pattern, words: rest.trim().split(/\s+/) };
      });
      return found.every((one) => one !== undefined) ? found : undefined;
    },
  };
}

/** A folder of this machine, visible to jobs. */
interface Mount {
  readonly path: string;
  readonly at: string;
  readonly mode: "read" | "write";
}

/** Mounts, one per line: `path`, `path:at` or `path:at:mode`. */
export function mounts(): Kind<readonly Mount[]> {
  return {
    words:
      "an absolute path, with `:` and the absolute path where jobs see it, and with `:write` if they may change it",
    placeholder: "mount",
    isRepeatable: true,
    parse(text) {
      const found = text.split("\n").map(maybeMount);
      return found.every((one) => one !== undefined) ? found : undefined;
    },
  };
}

function maybeMount(text: string): Mount | undefined {
  const [from = "", at = from, mode = "read", ...more] = text.trim().split(":");
  if (![from, at].every(isMountable) || !(mode === "read" || mode === "write") || more.length > 0)
    return undefined;
  return { path: path.normalize(from), at: path.normalize(at), mode };
}

/** The root itself would hide the system, or show the data folder. */
function isMountable(text: string): boolean {
  return path.isAbsolute(text) && path.normalize(text) !== "/" && !text.includes("\0");
}

export function hostList(): Kind<readonly string[]> {
  return {
    words: "host names with commas between them",
    placeholder: "hosts",
    parse: (text) => (/^[\w.:[\]-]+(\s*,\s*[\w.:[\]-]+)*$/.test(text) ? splitHosts(text) : undefined),
  };
}

export function patternList(placeholder: string): Kind<readonly string[]> {
  return {
    words: "patterns with commas between them, without blanks in one",
    placeholder,
    parse: (text) => {
      const patterns = text.split(",").map((pattern) => pattern.trim());
      return patterns.every((pattern) => /^\S+$/.test(pattern)) ? patterns : undefined;
    },
  };
}

function splitHosts(text: string): readonly string[] {
  return text.split(",").map((host) => host.trim().toLowerCase());
}

/**
 * An absolute path, unaffected by a later change of directory. `~` is expanded because shells pass
 * `--data=~/x` on unchanged.
 */
export function file(words: string, placeholder: string): Kind<string> {
  return {
    words,
    placeholder,
    parse: (text, env) =>
      text.includes("\0") ? undefined : path.resolve(text.replace(/^~(?=\/|$)/, () => homeFolder(env))),
  };
}

/** A claim of Kubernetes, and the folder where it is mounted. */
export function claimPlace(): Kind<{ readonly name: string; readonly root: string }> {
  return {
    words: "the name of a claim and the folder where it is mounted, such as reprise-data=/data",
    placeholder: "name=folder",
    parse(text) {
      const [, name, root] = /^([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)=(\/.*)$/.exec(text) ?? [];
      return name === undefined || root!.includes("\0") ? undefined : { name, root: path.resolve(root!) };
    },
    show: ({ name, root }) => `\`${name}=${root}\``,
  };
}

/** The path of a program, or the word `none`. */
export function program(): Kind<string> {
  const kind = file("the path of a program, or none", "program");
  return { ...kind, parse: (text, env) => (text === "none" ? text : kind.parse(text, env)) };
}

/** Returns the user's data directory. A relative $XDG_DATA_HOME is ignored, as the XDG specification requires. */
export function dataHome(env: Environment): string {
  const xdg = env["XDG_DATA_HOME"] ?? "";
  return path.isAbsolute(xdg) ? xdg : path.join(homeFolder(env), ".local", "share");
}

/** The devices of this machine for jobs: all, none, or some by name. */
export function gpus(): Kind<"auto" | "none" | readonly string[]> {
  return {
    words: "auto, none, or some GPUs with commas between them, such as 0,1 or GPU-5c1f7a2e-…",
    placeholder: "devices",
    parse(text) {
      if (text === "auto" || text === "none") return text;
      const names = text.split(",").map((name) => name.trim());
      return names.every((name) => /^[\w-]{1,64}$/.test(name)) ? names : undefined;
    },
    show: (value) => (typeof value === "string" ? value : value.join(",")),
  };
}
