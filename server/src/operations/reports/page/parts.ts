import { shortSize } from "#plumbing/text/human-size";
import { markup, type Markup } from "#plumbing/text/markup";
import { printable } from "#plumbing/text/printable";

/** A column of a table: its title, and whether it holds numbers or long texts. */
type Column = string | readonly [title: string, kind: "n" | "long"];

/** Returns a table that scrolls sideways on a narrow screen. The first cell of each row is its header. */
export function tableOf(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Markup | string)[])[],
): Markup {
  const titles = columns.map((column) => (typeof column === "string" ? column : column[0]));
  const kinds = columns.map((column, index) =>
    typeof column === "string" ? (index === 0 ? "name" : "text") : column[1],
  );
  return scrolling(
    caption,
    markup`<table>
      <caption>${caption}</caption>
      <thead>
        <tr>${titles.map((title, index) => markup`<th scope="col" class="${kinds[index]!}">${title}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map((cells) => markup`<tr>${cells.map((cell, index) => cellOf(cell, index, kinds[index]!))}</tr>`)}
      </tbody>
    </table>`,
  );
}

function cellOf(cell: Markup | string, index: number, kind: string): Markup {
  return index === 0
    ? markup`<th scope="row" class="${kind}">${cell}</th>`
    : markup`<td class="${kind}">${cell}</td>`;
}

/** Lets a keyboard scroll a wide part. */
export function scrolling(label: string, content: Markup): Markup {
  return markup`<section class="wide" aria-label="${label}" tabindex="0">${content}</section>`;
}

/** Returns a list of names with values, without the values that are absent. */
export function facts(
  entries: readonly (readonly [name: string, value: Markup | string | undefined])[],
): Markup {
  const known = entries.filter((entry): entry is [string, Markup | string] => entry[1] !== undefined);
  return markup`<dl>
    ${known.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}
  </dl>`;
}

export function section(title: string, ...content: readonly (Markup | string)[]): Markup {
  return markup`<section class="card">
    <h2>${title}</h2>
    ${content}
  </section>`;
}

/** Returns the label of a status in its colour. */
export function statusWord(status: string): Markup {
  return markup`<span class="status ${status}">${status}</span>`;
}

/** Returns a text from outside on one line. */
export function line(text: string, maxLength = 300): string {
  return printable(text, maxLength);
}

/** Returns a text from outside with its line ends, cut at that length. */
export function block(text: string, maxLength = 4000): Markup {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}\n…` : text;
  return markup`<pre tabindex="0">${cut.replaceAll(/[^\P{Cc}\n\t]/gu, "\ufffd")}</pre>`;
}

export function code(text: string): Markup {
  return markup`<code>${line(text)}</code>`;
}

/** Formats a time in UTC: `2026-11-27 10:15:03 UTC`. Empty for a time that is not known. */
export function atTime(epochMs: number | null | undefined): string {
  if (epochMs === null || epochMs === undefined) return "";
  return `${new Date(epochMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function sizeOrNone(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? "" : shortSize(bytes);
}

/** Says how many rows a table leaves out. */
export function leftOut(count: number, noun: string): Markup | string {
  return count > 0 ? markup`<p class="muted">${count} more ${noun} are not listed.</p>` : "";
}
