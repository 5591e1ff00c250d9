import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";

const COMMANDS = [
  "printf 'x,y\\n1,2\\n' > fit.csv",
  `echo '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>' > plot.svg; exit 3`,
];

describe.skipIf(whyNoBrowser() !== undefined)("the report on a run", () => {
  const the = stage();

  test("opens from the run's page and from the disk, is accessible, and sends no request", async () => {
    const run = client(the.server.url);
    const specification = { steps: [{ name: "fit", commands: COMMANDS }] };
    const document = {
      workflow: { type: "serial", specification },
      outputs: { files: ["fit.csv", "plot.svg"] },
    };
    const created = await run.call("POST", "workflows", JSON.stringify(document), "&workflow_name=fit");
    const id = created.body["workflow_id"] as string;
    await run.setStatus(id, "start");
    await run.ended(id);
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${id}`);
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Report" }).click();
    const report = await opened;
    await report.getByRole("heading", { name: "Report on fit.1" }).waitFor();
    await report.getByRole("img", { name: "The output plot.svg" }).waitFor();
    const file = path.join(the.folder, "report.html");
    await writeFile(file, await report.content());
    await context.close();
    expect(faults).toEqual([]);
    for (const width of [360, 1280]) {
      const { page: alone, context: reader } = await newVisitor(the.browser, "file:///", {
        viewport: { width, height: 800 },
      });
      const asked: string[] = [];
      alone.on("request", (request) => void asked.push(request.url().split(":", 1)[0]!));
      await alone.goto(pathToFileURL(file).href);
      await alone.getByRole("heading", { name: "Why it failed" }).waitFor();
      expect(await alone.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(asked.filter((scheme) => scheme !== "data")).toEqual(["file"]);
      await expectAccessible(alone);
      await reader.close();
    }
  });
});
