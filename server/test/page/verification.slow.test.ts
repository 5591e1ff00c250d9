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
    await page.getByText(/^The workflow took .* \(2 jobs, .* of processor time\)/).waitFor();
    await page.getByText(/repeated at most 8 times: fit, the longest, for at most/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Start", exact: true }).click();
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

  test("repeats one step of a run that failed later, and names the cost beforehand", async () => {
    const ada = client(the.server.url);
    const steps = [
      { name: "count", commands: ["echo 7 > n.txt"] },
      { name: "fit", commands: ["cat none.txt > fit.txt"] },
    ];
    const document = {
      workflow: { type: "serial", specification: { steps } },
      outputs: { files: ["fit.txt"] },
    };
    const { body } = await ada.call("POST", "workflows", JSON.stringify(document), "&workflow_name=steps");
    const id = body["workflow_id"] as string;
    await ada.setStatus(id, "start");
    await ada.ended(id);
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${id}/details`);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    const start = page.getByRole("button", { name: "Start", exact: true });
    await page.getByText(/cannot be verified, because it is failed/).waitFor();
    expect(await start.isDisabled()).toBe(true);
    await page.getByRole("combobox", { name: /^What is run again/ }).selectOption("count");
    await page.getByText(/^The step count took .* \(1 job, /).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await expectAccessible(page);
    await start.click();
    await page.getByText("All outputs of the step count came out identical.").waitFor({ timeout: 60_000 });
    await page.getByRole("row", { name: "n.txt identical" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
