import { expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** Jobs of a run. The page lists fewer jobs. */
const SAMPLES = 520;
const READY = Array.from({ length: SAMPLES }, (_, index) => `echo sample ${index}`);

describeUnless(whyNoBrowser())("a run of many jobs", () => {
  const the = stage();

  test("lists jobs by status and text, and shows the failed job although the list is longer", async () => {
    const run = client(the.server.url);
    const id = await run.create([...READY, "echo no data; exit 1"], "large");
    await run.setStatus(id, "start");
    await run.ended(id);
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${id}`);
    await page.getByRole("log").getByText("no data", { exact: true }).waitFor();
    const jobs = page.getByRole("navigation", { name: "Jobs" });
    const count = jobs.getByRole("status");
    await expect.poll(() => count.innerText()).toBe(`${SAMPLES + 1} jobs`);
    await jobs.getByLabel("Name or command").fill("SAMPLE 51");
    await expect.poll(() => count.innerText()).toBe("11 jobs");
    await jobs.getByRole("button", { name: /sample 519/ }).click();
    await page.getByRole("log").getByText("sample 519", { exact: true }).waitFor();
    const status = jobs.getByLabel("Status of the jobs");
    expect(await status.getByRole("option").allInnerTexts()).toEqual([
      "All jobs",
      "Running (0)",
      "Queued",
      "Waiting",
      `Finished (${SAMPLES})`,
      "Failed (1)",
      "Stopped",
    ]);
    await status.selectOption("failed");
    await expect.poll(() => count.innerText()).toBe("No job matches.");
    await expectAccessible(page);
    await jobs.getByLabel("Name or command").fill("");
    await expect.poll(() => count.innerText()).toBe("1 job");
    // The address has the filter and the job.
    await page.reload();
    await page.getByRole("log").getByText("sample 519", { exact: true }).waitFor();
    await expect.poll(() => count.innerText()).toBe("1 job");
    expect(faults).toEqual([]);
    await context.close();
  });
});
