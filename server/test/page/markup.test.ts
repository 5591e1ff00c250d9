import { expect, test } from "vitest";
import { markupFaults } from "./markup.ts";

const page = (body: string) =>
  `<!DOCTYPE html><html lang="en"><head><title>T</title></head><body>${body}</body></html>`;

test("faults of HTML are found, each with its place", async () => {
  expect(
    await markupFaults(page(`<main><p style="top: 1px">text</p><br><input disabled=""></main>`)),
  ).toEqual([]);
  const faults = await markupFaults(page("<p>one</p><ul><p>two</p></ul><button>press</button>"));
  expect(faults.join("\n")).toContain("no-implicit-button-type");
  expect(faults.join("\n")).toContain("html > body > ul > p");
});
