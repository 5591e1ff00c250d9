import { settingRows } from "../../server/src/config/read.ts";

/** Returns `docs/reference/settings.md`: a heading for each row of the table in `server/src/config/settings.ts`. */
export function settingsPage(): string {
  const sections = settingRows().map((row) => {
    const option = row.usage === undefined ? "none" : `\`${inTable(row.usage)}\``;
    return [
      `## ${row.name}`,
      "",
      row.sentence,
      "",
      "| option | environment | value | default |",
      "|---|---|---|---|",
      `| ${option} | \`${row.variable}\` | ${row.kind} | ${row.fallback} |`,
    ].join("\n");
  });
  return `${HEAD}\n\n${sections.join("\n\n")}\n`;
}

/** Escapes bars, which end a cell even within code. */
function inTable(text: string): string {
  return text.replaceAll("|", "\\|");
}

const HEAD = `# Settings

Generated from \`server/src/config/settings.ts\` by \`npm run generate\`.

An option of \`reprise serve\` overrides the environment, and the environment overrides the default. An empty value counts as unset.
The server refuses to start with an invalid value, and says why.`;
