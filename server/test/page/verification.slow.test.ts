import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";

const COMMANDS = ["echo '[1]' > n.json", "sleep 1; date > made.txt"];
const OUTPUTS = ["n.json", "made.txt"];
const MISSING = ["faketime"].some((program) => spawnSync(program, ["--version"]).error)
  ? "it needs faketime"
  : undefined;

describe.skipIf((whyNoBrowser() ?? MISSING) !== undefined)("the verification of a run on its page", () => {
  const the = stage();

  test("repeats the run, shows the verdicts, and finds the cause of the difference", async () => {
    const run = client(the.server.url);
    const document = {
      workflow: { type: "serial", specification: { steps: [{ name: "fit", commands: COMMANDS }] } },
      outputs: { files: OUTPUTS },
    };
    const created = await run.call("POST", "workflows", JSON.stringify(document), "&workflow_name=fit");
    const id = created.body["workflow_id"] as string;
    await run.setStatus(id, "start");
    await run.ended(id);
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${id}/details`);
    await page.getByText("Not verified.").waitFor();
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.getByText("1 of 2 outputs came out different.").waitFor({ timeout: 60_000 });
    await page.getByRole("row", { name: "made.txt different" }).waitFor();
    await page.getByRole("row", { name: "n.json identical" }).waitFor();
    await page.getByText("The first step that differs: fit (made.txt).").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Look for the cause" }).click();
    await page.getByText("The cause in fit (made.txt) is the clock").waitFor({ timeout: 120_000 });
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Certificate" }).click();
    expect((await saved).suggestedFilename()).toBe("fit.1.certificate.zip");
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await context.close();
  });
});
