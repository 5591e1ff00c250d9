import { expect, test } from "vitest";
import { ADMIN_TOKEN, client } from "../support/real-server.ts";
import { newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** Texts that run a script if the page or a browser takes a text for markup. */
const CORPUS = [
  "<script>document.title='taken'</script>",
  "<img src=x onerror=\"document.title='taken'\">",
  "<svg onload=\"document.title='taken'\">",
  "\"><script>document.title='taken'</script>",
  "javascript:document.title='taken'",
  "</pre></textarea><iframe srcdoc=\"<script>parent.document.title='taken'</script>\"></iframe>",
  "{{constructor.constructor('document.title=`taken`')()}}",
  "\u001b]0;taken\u0007\u001b[31m<b onclick=document.title='taken'>red</b>",
];
const PAGE = `<html><body>a page<script>parent.document.title='taken';fetch('/api/session')</script></body></html>`;
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title='taken'</script><text>a picture</text></svg>`;
const MARKDOWN = CORPUS.map((text) => `${text}\n\n[link](javascript:document.title='taken')\n`).join("\n");

describeUnless(whyNoBrowser())("text of a user", () => {
  const the = stage();

  async function makeRun(): Promise<string> {
    const steps = CORPUS.map((text) => ({ name: text, commands: ["cat printed; cat printed >&2; true"] }));
    const parameters = Object.fromEntries(CORPUS.map((text, index) => [`p${index} ${text}`, text]));
    const specification = {
      inputs: { parameters },
      workflow: {
        type: "serial",
        specification: { steps: [...steps, { name: "end", commands: ["exit 1"] }] },
      },
    };
    const query = `access_token=${ADMIN_TOKEN}&workflow_name=${encodeURIComponent(CORPUS[0]!.replaceAll(/[./]/g, "_"))}`;
    const reply = await fetch(`${the.server.url}/api/workflows?${query}`, {
      method: "POST",
      body: JSON.stringify(specification),
    });
    return ((await reply.json()) as { workflow_id: string }).workflow_id;
  }

  test("never becomes markup, in names, logs, files, specifications and parameters", async () => {
    const run = client(the.server.url);
    const id = await makeRun();
    await run.upload(id, "printed", CORPUS.join("\n"));
    await run.upload(id, "page.html", PAGE);
    await run.upload(id, "picture.svg", PICTURE);
    await run.upload(id, "text.md", MARKDOWN);
    await run.upload(id, "table.csv", CORPUS.map((text) => `"${text.replaceAll('"', '""')}",1`).join("\n"));
    await run.upload(
      id,
      "book.ipynb",
      JSON.stringify({ cells: [{ cell_type: "markdown", source: MARKDOWN }] }),
    );
    for (const text of CORPUS) await run.upload(id, `names/${text.replaceAll(/\/|\p{Cc}/gu, "_")}`, text);
    await run.setStatus(id, "start");
    await run.ended(id);
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => dialogs.push(dialog.message()));
    await signIn(page, the.server.url);
    const shows = async (address: string, text: string | RegExp) => {
      await page.goto(address);
      await page.getByText(text).first().waitFor();
      expect(await page.title()).not.toBe("taken");
      expect(await page.locator("#root script, #root svg[onload], #root img[src=x]").count()).toBe(0);
    };
    await shows("/runs", "<script>");
    await shows(`/runs/${id}?job=0.0`, CORPUS[1]!);
    for (const view of ["graph", "timeline", "events", "specification", "details"])
      await shows(`/runs/${id}/${view}`, "<script>");
    await shows(`/runs/${id}/files?folder=names`, "<script>");
    for (const file of ["text.md", "table.csv", "book.ipynb", "printed"]) {
      await shows(`/runs/${id}/files?file=${file}`, "<script>");
    }
    await page.goto(`/runs/${id}/files?file=page.html`);
    await page.frameLocator("iframe").getByText("a page").waitFor();
    await page.goto(`/runs/${id}/files?file=picture.svg`);
    await page.getByRole("img", { name: "picture.svg" }).waitFor();
    expect(await page.title()).not.toBe("taken");
    // A sandboxed frame reports each blocked script.
    expect(faults.filter((fault) => !/sandboxed|Blocked script execution/.test(fault))).toEqual([]);
    expect(dialogs).toEqual([]);
    await context.close();
  });

  test("the policy of the page lets no script in the document run", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    const policy = await (await page.goto("/runs"))!.headerValue("content-security-policy");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain("unsafe");
    const title = await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
      document.body.append(script);
      return document.title;
    })()`);
    expect(title).not.toBe("taken");
    await context.close();
  });

  test("a file opened by its address has an origin of its own, without scripts", async () => {
    const run = client(the.server.url);
    const id = await run.create(["true"]);
    await run.upload(id, "page.html", PAGE);
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${id}/files?file=page.html`);
    await page.goto((await page.locator("iframe").getAttribute("src"))!);
    await page.getByText("a page").waitFor();
    expect(await page.title()).not.toBe("taken");
    await context.close();
  });
});
