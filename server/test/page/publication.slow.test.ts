import { afterAll, describe, expect, test } from "vitest";
import { openFakeInvenio } from "../support/fakes/fake-invenio.ts";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";

const invenio = await openFakeInvenio();
afterAll(() => invenio.close());

/** Deposits on a stand-in of InvenioRDM, which was written from the documentation. */
describe.skipIf(whyNoBrowser() !== undefined)("the publication of a run on its page", () => {
  const the = stage(undefined, { REPRISE_DEPOSIT_PRIVATE_HOSTS: invenio.host });

  test("makes a draft with a reserved DOI, and publishes the draft after a question", async () => {
    const ada = client(the.server.url);
    const run = await ada.create(["echo 42 > out.txt"], "fit");
    await ada.setStatus(run, "start");
    await ada.ended(run);
    const token = { type: "env", value: Buffer.from(invenio.token).toString("base64") };
    await ada.call("POST", "secrets", JSON.stringify({ DEPOSIT_TOKEN: token }));
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${run}/details`);
    await page.getByText("Not published.").waitFor();
    await page.getByRole("button", { name: "Make a draft" }).click();
    await page.getByRole("textbox", { name: /^Server/ }).fill(invenio.url);
    await page.getByRole("textbox", { name: /^Secret/ }).fill("DEPOSIT_TOKEN");
    await page.getByRole("textbox", { name: /^Creators/ }).fill("Lovelace, Ada\n");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Make the draft" }).click();
    await page.getByText("A draft, which is not public.").waitFor({ timeout: 60_000 });
    await page.getByText("DOI, reserved: 10.5072/zenodo.abcde-1").waitFor();
    await page.getByRole("button", { name: "Publish the draft" }).click();
    await page.getByText("A published record cannot be taken back.").waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("link", { name: `${invenio.url}/records/abcde-1` }).waitFor({ timeout: 60_000 });
    await page.getByText(/^Lovelace, A\. \(20\d\d\)\. fit\.1 \(fit\.1\) \[Data set\]/).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await expectAccessible(page);
    await page.goto("/origin");
    await page
      .getByLabel("File whose origin you look for")
      .setInputFiles({ name: "of a talk.txt", mimeType: "text/plain", buffer: Buffer.from("42\n") });
    await page.getByRole("link", { name: "10.5072/zenodo.abcde-1" }).waitFor({ timeout: 60_000 });
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("saves a pack, or says why the run cannot be packed", async () => {
    const ada = client(the.server.url);
    const steps = [{ name: "fit", commands: ["cat in.txt > out.txt"] }];
    const document = {
      inputs: { files: ["in.txt"] },
      workflow: { type: "serial", specification: { steps } },
      outputs: { files: ["out.txt"] },
    };
    const { body } = await ada.call("POST", "workflows", JSON.stringify(document), "&workflow_name=packed");
    const run = body["workflow_id"] as string;
    await ada.upload(run, "in.txt", "1");
    await ada.setStatus(run, "start");
    await ada.ended(run);
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${run}/details`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the pack" }).click();
    expect((await saved).suggestedFilename()).toBe("packed.1.zip");
    await ada.upload(run, "in.txt", "2");
    await page.getByRole("button", { name: "Download the pack" }).click();
    await page.getByText("an input is not as recorded: in.txt (changed)").waitFor();
    await expectAccessible(page);
    await context.close();
  });
});
