import type { ScalarTag } from "yaml";

/**
 * The meaning of plain words in YAML, as PyYAML reads them: REANA's clients have always read these files with that
 * library. It follows YAML 1.1, except for details that matter in practice: `yes`, `no`, `on` and `off` are booleans,
 * `y` and `n` are not; `0777` is octal; `1_000` is a number, `1e3` is not (it has no dot), `1:30` is ninety. Dates stay
 * text, because JSON has none.
 */

const BOOL = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const TRUE = /^(?:yes|true|on)$/i;
const INT = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
/** A number that begins with a dot has no sign: `-.5` is text. */
const FLOAT =
  /^(?:[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|\.(?:inf|Inf|INF))|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|\.(?:nan|NaN|NAN))$/;

const CORE_FLOAT =
  /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const PREFIX = "tag:yaml.org,2002:";

export const PYYAML_TAGS: ScalarTag[] = [
  { tag: `${PREFIX}null`, default: true, test: /^(?:~|null|Null|NULL|)$/, resolve: () => null },
  { tag: `${PREFIX}bool`, default: true, test: BOOL, resolve: (text) => TRUE.test(text) },
  { tag: `${PREFIX}int`, default: true, test: INT, resolve: parseNumber },
  { tag: `${PREFIX}float`, default: true, test: FLOAT, resolve: parseNumber },
];

/**
 * The core schema of YAML 1.2, for languages that are defined with it, such as CWL: `yes` and `1:30` are text, `0777` is
 * 777, `0o17` is 15 and `1e3` is a thousand.
 */
export const CORE_TAGS: ScalarTag[] = [
  { tag: `${PREFIX}null`, default: true, test: /^(?:~|null|Null|NULL|)$/, resolve: () => null },
  {
    tag: `${PREFIX}bool`,
    default: true,
    test: /^(?:true|True|TRUE|false|False|FALSE)$/,
    resolve: (text) => TRUE.test(text),
  },
  { tag: `${PREFIX}int`, default: true, test: /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/, resolve: Number },
  { tag: `${PREFIX}float`, default: true, test: CORE_FLOAT, resolve: parseCoreFloat },
];

function parseCoreFloat(text: string): number {
  return /[0-9]/.test(text) ? Number(text) : parseNumber(text);
}

function parseNumber(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  const digits = text.replace(/^[-+]/, "").replaceAll("_", "").toLowerCase();
  if (digits === ".inf") return sign * Infinity;
  if (digits === ".nan") return Number.NaN;
  if (digits.includes(":")) return sign * digits.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  if (/^0[0-7]+$/.test(digits)) return sign * Number.parseInt(digits, 8);
  return sign * Number(digits);
}
