import { openApiDocument } from "../server/src/api/openapi.ts";
import { chartManifests } from "./chart.ts";
import { commandsPage, helpTexts } from "./reference/commands-page.ts";
import { settingsPage } from "./reference/settings-page.ts";

/** Returns the generated files that Git tracks: path and content. A test fails if one of them is out of date. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const document = await openApiDocument();
  return new Map([
    ["fixtures/openapi.json", `${JSON.stringify(document, null, 2)}\n`],
    ["docs/reference/commands.md", commandsPage()],
    ["fixtures/golden/help.txt", helpTexts()],
    ["docs/reference/settings.md", settingsPage()],
    ...chartManifests(),
  ]);
}
