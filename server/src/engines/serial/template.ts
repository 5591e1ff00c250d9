import { pythonStr } from "#plumbing/formats/python-text";

export type Expansion =
  /** `used`: the parameters in the text, as given. */
  | { readonly ok: true; readonly text: string; readonly used: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: "unknown"; readonly name: string }
  | { readonly ok: false; readonly problem: "invalid"; readonly line: number; readonly column: number };

/** Matches `$$`, `$name`, `${name}`, or a bare `$`: the rules of Python's `string.Template`. */
const PLACEHOLDER = /\$(?:(\$)|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|())/g;

const NONE: Readonly<Record<string, unknown>> = Object.freeze({});

export function expand(template: string, parameters: Readonly<Record<string, unknown>>): Expansion {
  let text = "";
  let from = 0;
  const used: [name: string, value: unknown][] = [];
  for (const match of template.matchAll(PLACEHOLDER)) {
    text += template.slice(from, match.index);
    from = match.index + match[0].length;
    const name = match[2] ?? match[3];
    if (match[1] !== undefined) text += "$";
    else if (name === undefined) return { ok: false, problem: "invalid", ...position(template, match.index) };
    else if (Object.hasOwn(parameters, name)) {
      text += pythonStr(parameters[name]);
      used.push([name, parameters[name]]);
    } else return { ok: false, problem: "unknown", name };
  }
  // Most texts use no parameter: they share an object, and the template is returned unchanged.
  if (from === 0) return { ok: true, text: template, used: NONE };
  return { ok: true, text: text + template.slice(from), used: Object.fromEntries(used) };
}

function position(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
