import { type Markup, markup } from "#plumbing/text/markup";

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
