import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { settingRows } from "../server/src/config/read.ts";
import { generatedFiles } from "./generated-files.ts";
import { ROOT } from "./project.ts";

const files = await generatedFiles();

describe("generated files are up to date (else: npm run generate)", () => {
  test.each([...files])("%s", async (file, content) => {
    expect(firstDifference(await readFile(path.join(ROOT, file), "utf8"), content)).toBeUndefined();
  });
});

/** Returns the first different line: a report with the whole document would be unreadable. */
function firstDifference(present: string, wanted: string): string | undefined {
  if (present === wanted) return undefined;
  const lines = wanted.split("\n");
  const at = present.split("\n").findIndex((line, index) => line !== lines[index]);
  return `line ${at + 1} should be: ${lines[at]}`;
}

describe("the reference has a heading for", () => {
  test.each(settingRows().map((row) => row.name))("the setting %s", (name) => {
    expect(files.get("docs/reference/settings.md")).toContain(`\n## ${name}\n`);
  });

  test.each([
    "serve",
    "user add",
    "user list",
    "user token",
    "user disable",
    "user enable",
    "doctor",
    "version",
  ])("the command %s", (words) => {
    expect(files.get("docs/reference/commands.md")).toContain(`\n## reprise ${words}\n`);
  });
});
