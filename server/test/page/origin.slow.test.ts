import { describe, expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";

describe.skipIf(whyNoBrowser() !== undefined)("the origin of a file on the page", () => {
  const the = stage();

  test("names the run and the step, draws the chain, and sends nothing of the file", async () => {
    const run = client(the.server.url);
    const steps = [
      { name: "count", commands: ["wc -c < in.txt > count.txt"] },
      { name: "plot", commands: ["sed s/^/plot/ count.txt > plot.txt"] },
    ];
    const document = {
      inputs: { files: ["in.txt"], parameters: { level: 7 } },
      workflow: { type: "serial", specification: { steps } },
      outputs: { files: ["plot.txt"] },
    };
    const created = await run.call("POST", "workflows", JSON.stringify(document), "&workflow_name=fit");
    const id = created.body["workflow_id"] as string;
    await run.upload(id, "in.txt", "four");
    await run.setStatus(id, "start");
    await run.ended(id);
    const { text } = await run.download(id, "plot.txt");
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.getByRole("link", { name: "Origin" }).click();
    const sent: string[] = [];
    page.on("request", (request) => void sent.push(`${request.method()} ${request.postData() ?? ""}`));
    const choose = (name: string, content: string) =>
      page
        .getByLabel("File whose origin you look for")
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
    await choose("of a talk.txt", text);
    await page.getByRole("heading", { name: "Where of a talk.txt comes from" }).waitFor();
    await page.getByText("Made by plot").waitFor();
    await page.getByText("Parameters: level = 7").waitFor();
    await page.getByRole("img", { name: /^plot\.txt with 2 steps/ }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await choose("plot.txt", "another plot");
    await page.getByRole("heading", { name: "Files with the same name" }).waitFor();
    await expectAccessible(page);
    await choose("other.txt", "in no run");
    await page.getByText("No run that you may see has a file with the content of other.txt.").waitFor();
    await expectAccessible(page);
    expect(sent.filter((one) => !one.startsWith("GET"))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
