/** Text for a page. All values except `Markup` are escaped, so that no text can become a tag or leave an attribute. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | readonly Part[];

export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    texts.map((text, index) => text + (index < parts.length ? show(parts[index]!) : "")).join(""),
  );
}

function show(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(show).join("");
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
}
