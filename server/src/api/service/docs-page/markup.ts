/** Text for a page. All values except `Markup` are escaped, so that no sentence can become a tag. */
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

/** Returns a table with a row for each item; the last column contains the description. */
export function table(titles: readonly string[], rows: readonly Markup[]): Markup {
  return markup`<table>
    <thead>
      <tr>
        ${[...titles, "meaning"].map((title) => markup`<th>${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Formats text between `backticks` as code. */
export function prose(text: string): Markup {
  const parts = text.split("`").map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part));
  return markup`${parts}`;
}
