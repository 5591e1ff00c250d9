import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { cuttingProxy } from "../support/fakes/cutting-proxy.ts";
import { ADMIN_TOKEN, client } from "../support/real-server.ts";
import { standInForJupyter } from "../notebooks/stand-in.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** Does what people do with runs on the page, from the first to many at once, in a real browser. */
describeUnless(whyNoBrowser())("on the page", () => {
  const the = stage(async (folder) => ["--jupyter", await standInForJupyter(folder)]);

  async function visit(work: (page: Page) => Promise<void>, token?: string): Promise<void> {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url, token);
    await work(page);
    expect(faults).toEqual([]);
    await context.close();
  }

  const FAILING = `
inputs: {parameters: {limit: 5}}
workflow:
  type: serial
  specification:
    steps:
      - {name: count, commands: ["seq \${limit} > numbers.csv"]}
      - {name: check, commands: ["test \${limit} -gt 7 || { echo 'ValueError: too few events' >&2; exit 1; }"]}
outputs: {files: [numbers.csv]}
`;

  test("a launch link is filled in after the sign-in, and starts nothing by itself", async () => {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    const asked = {
      url: "https://example.invalid/you/fit",
      name: "fit",
      specification: "a.yaml",
      parameters: '{"n":3}',
    };
    await page.goto(`/launch?${new URLSearchParams(asked).toString()}`);
    await page.getByLabel("Or paste an access token").fill(ADMIN_TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Launch a run" }).waitFor();
    const filled = await page.locator("main form input").all();
    const values = await Promise.all(filled.map((input) => input.inputValue()));
    expect(values).toEqual(Object.values(asked));
    await expectAccessible(page);
    const runs = async () => (await client(the.server.url, ADMIN_TOKEN).call("GET", "workflows")).body;
    expect(await runs()).toEqual([]);
    await page.getByRole("button", { name: "Fetch and start" }).click();
    await page.getByRole("alert").waitFor();
    expect(await runs()).toEqual([]);
    await page.goto("/details/no-such-run");
    await page.waitForURL("**/runs/no-such-run");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("somebody chooses the folder of an analysis, sees it fail, and restarts it with another parameter", async () => {
    const folder = path.join(the.folder, "few-events");
    await mkdir(folder);
    await writeFile(path.join(folder, "reana.yaml"), FAILING);
    await visit(async (page) => {
      await page.getByRole("link", { name: "New run" }).first().click();
      await expectAccessible(page); // on its way, or there
      const chooser = page.getByLabel("Folder of an analysis");
      await chooser.waitFor({ state: "attached" });
      await expectAccessible(page);
      await chooser.setInputFiles(folder);
      await page.getByRole("heading", { name: "few-events.1" }).waitFor();
      await page.getByRole("button", { name: "Start", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Start" });
      await dialog.getByLabel("limit").waitFor();
      await expectAccessible(page);
      // The form has the focus, although its values came later than the dialog.
      await page.keyboard.press("Enter");
      await page.getByText('Step "check" failed: its command exited with code 1.').waitFor();
      await page.getByRole("link", { name: "ValueError: too few events", exact: true }).waitFor();
      await page.getByRole("log").getByText("ValueError: too few events", { exact: true }).waitFor();

      await page.getByRole("button", { name: "Restart", exact: true }).click();
      const restart = page.getByRole("dialog", { name: "Restart in the same workspace" });
      await restart.getByText("1 taken over, 1 to run").waitFor();
      await restart.getByLabel("limit").fill("9");
      await restart.getByText("0 taken over, 2 to run").waitFor();
      await expectAccessible(page);
      await restart.getByRole("button", { name: "Restart" }).click();
      await page.getByText(/^Finished: 2 jobs/).waitFor();
      await page.getByRole("link", { name: "few-events.1", exact: true }).click();
      await page
        .getByText("This run was restarted as few-events.1.1: the files shown are of that run.")
        .waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "few-events.1.1" }).click();
      await page.getByText("Restart of few-events.1, in the same workspace.").waitFor();

      for (const view of ["Graph", "Timeline", "Events", "Files", "Specification", "Details"]) {
        await page.getByRole("link", { name: view, exact: true }).click();
        await page
          .getByText(view === "Details" ? "limit" : /check|numbers.csv/)
          .first()
          .waitFor();
        await expectAccessible(page);
      }
      await page.getByRole("link", { name: "Files", exact: true }).click();
      await page.getByRole("button", { name: "numbers.csv", exact: true }).click();
      await page.getByRole("cell", { name: "9", exact: true }).waitFor();
      await expectAccessible(page);
    });
  });

  test("somebody uploads, renames and deletes a file", async () => {
    const run = await client(the.server.url).create(["true"], "files");
    await visit(async (page) => {
      await page.goto(`/runs/${run}/files`);
      const file = { name: "notes.md", mimeType: "text/plain", buffer: Buffer.from("# Notes\n\n**bold**") };
      await page.getByLabel("Files to upload").setInputFiles(file);
      await page.getByRole("button", { name: "notes.md", exact: true }).click();
      await page.getByRole("heading", { name: "Notes", exact: true }).waitFor();
      const paper = {
        name: "paper.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from("%PDF-1.4\n%%EOF"),
      };
      await page.getByLabel("Files to upload").setInputFiles(paper);
      await page.getByRole("button", { name: "paper.pdf", exact: true }).waitFor();
      await page.getByRole("button", { name: "Actions on notes.md" }).click();
      await page.getByRole("menuitem", { name: "Rename or move …" }).click();
      await page.getByLabel("New path").fill("docs/readme.md");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByRole("button", { name: "docs", exact: true }).click();
      await page.getByRole("button", { name: "Actions on readme.md" }).click();
      await page.getByRole("menuitem", { name: "Delete …" }).click();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("There are no files here.").waitFor();
      await page.getByRole("button", { name: "workspace", exact: true }).click();
      await client(the.server.url).upload(run, "one/two/three.txt", "3");
      const [zip] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download as zip" }).click(),
      ]);
      expect(zip.suggestedFilename()).toMatch(/\.zip$/);
      const names = (await readFile(await zip.path())).toString("latin1").match(/one\/two\/three\.txt/g);
      expect(names?.length).toBeGreaterThan(0);
      // Last: the browser's viewer takes the focus when ready, and the loss of focus closes menus.
      const [shown] = await Promise.all([
        page.waitForResponse(/paper\.pdf\?preview=true&page_expires=\d+&page_signature=[0-9a-f]{64}$/),
        page.getByRole("button", { name: "paper.pdf", exact: true }).click(),
      ]);
      expect(await shown.headerValue("content-disposition")).toMatch(/^inline/);
    });
  });

  test("a large upload over a bad connection sends what has arrived only once", async () => {
    const run = await client(the.server.url).create(["true"], "large");
    const proxy = await cuttingProxy(the.server.url, { seed: 3, cuts: 6, lifeBytesMax: 6 << 20 });
    const content = Buffer.alloc(21 << 20, "0123456789abcdef\n");
    const file = path.join(the.folder, "big.bin");
    await writeFile(file, content);
    const { page, context } = await newVisitor(the.browser, proxy.url);
    await signIn(page, proxy.url);
    await page.goto(`/runs/${run}/files`);
    await page.getByLabel("Files to upload").setInputFiles(file);
    await page.getByRole("button", { name: "big.bin", exact: true }).waitFor({ timeout: 60_000 });
    expect(proxy.cutsLeft()).toBeLessThan(6);
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const reply = await fetch(`${the.server.url}/api/workflows/${run}/workspace/big.bin`, { headers });
    expect(Buffer.compare(Buffer.from(await reply.arrayBuffer()), content)).toBe(0);
    proxy.close();
    await context.close();
  });

  test("somebody shares a run, and the reader sees it and cannot change it", async () => {
    const admin = client(the.server.url);
    const run = await admin.create(["echo read me"], "shared");
    await admin.setStatus(run, "start");
    await admin.ended(run);
    const { body } = await admin.call("POST", "users", undefined, "&email=reader@example.org");
    await visit(async (page) => {
      await page.goto(`/runs/${run}`);
      await page.getByRole("button", { name: "Share" }).click();
      const dialog = page.getByRole("dialog", { name: "Share shared.1" });
      await dialog.getByText("It is not shared with anybody.").waitFor();
      await dialog.getByLabel("E-mail address or group:name").fill("reader@example.org");
      await dialog.getByRole("button", { name: "Share", exact: true }).click();
      await dialog.getByRole("button", { name: "Remove reader@example.org" }).waitFor();
      await expectAccessible(page);
    });
    await visit(async (page) => {
      await page.getByText("You have no runs yet.").waitFor();
      await page.getByLabel("Whose").selectOption("Shared with me");
      await page.getByRole("link", { name: "shared.1" }).waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "shared.1" }).click();
      await page.getByRole("log").getByText("read me", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Share" }).count()).toBe(0);
      expect(await page.getByRole("button", { name: "Restart", exact: true }).count()).toBe(0);
    }, body["access_token"] as string);
  });

  test("somebody opens a notebook on the files of a run, goes to it, and closes it", async () => {
    const run = await client(the.server.url).create(["true"], "beside");
    await visit(async (page) => {
      await page.goto(`/runs/${run}`);
      await page.getByRole("button", { name: "Notebook" }).click();
      const dialog = page.getByRole("dialog", { name: "Notebook of beside.1" });
      await dialog.getByRole("button", { name: "Open a notebook" }).click();
      const way = dialog.getByRole("link", { name: "Go to the notebook" });
      await way.waitFor();
      await expectAccessible(page);
      const [opened] = await Promise.all([page.context().waitForEvent("page"), way.click()]);
      // The notebook has a separate origin. The page of the notebook waits until JupyterLab responds.
      await opened.waitForURL(`**/${run}/*/lab`);
      await opened.getByText(`"url":"/${run}/`).waitFor();
      await dialog.getByRole("button", { name: "Close the notebook" }).click();
      await dialog.getByRole("button", { name: "Open a notebook" }).waitFor();
    });
  });

  test("somebody drops a specification with a mistake, and sees it in its place", async () => {
    await visit(async (page) => {
      await page.getByRole("link", { name: "New run" }).first().click();
      const chooser = page.getByLabel("reana.yaml and its files");
      await chooser.waitFor({ state: "attached" });
      const drop = (text: string) =>
        chooser.setInputFiles({ name: "reana.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) });
      await drop("workflow:\n  type: serial\n  specification:\n    steps:\n      - commands: echo\n");
      await page.getByRole("alert").getByText("reana.yaml:5:9: ").waitFor();
      await page.locator('[data-line="5"] p').waitFor();
      await expectAccessible(page);
      await drop("workflow: {type: serial\n");
      await page
        .getByRole("alert")
        .getByText(/^reana.yaml:\d:\d+: /)
        .waitFor();
    });
  });

  test("somebody follows a refusal to the line of the document", async () => {
    const api = client(the.server.url);
    const document = JSON.stringify({ workflow: { type: "cwl", file: "main.cwl" } });
    const { body } = await api.call("POST", "workflows", document, "&workflow_name=refused");
    const run = body["workflow_id"] as string;
    const tool = "cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: echo\ninputs: 5\noutputs: []\n";
    await api.upload(run, "main.cwl", tool);
    await visit(async (page) => {
      await page.goto(`/runs/${run}`);
      await page.getByRole("button", { name: "Start", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Start" });
      await dialog.getByRole("button", { name: "Start" }).click();
      await dialog.getByRole("link", { name: /^main.cwl, line 4/ }).click();
      await page.locator("mark").getByText("inputs: 5").waitFor();
      await expectAccessible(page);
    });
  });

  test("somebody compares two runs", async () => {
    const run = client(the.server.url);
    for (const word of ["one", "two"]) {
      const id = await run.create([`echo ${word} > result.txt`], "compared");
      await run.setStatus(id, "start");
      await run.ended(id);
    }
    await visit(async (page) => {
      await page.getByLabel("Search by name").fill("compared");
      // The rows are drawn again when the search begins, after a pause of the typist.
      await page.waitForURL(/search=compared/);
      await page.getByText("1–2 of 2").waitFor();
      await page.getByLabel("Select compared.1").check();
      await page.getByLabel("Select compared.2").check();
      await page.getByRole("link", { name: "Compare", exact: true }).click();
      await page.getByText("+two").waitFor();
      await page.getByText("-one").waitFor();
      await expectAccessible(page);
    });
  });

  test("somebody restarts all that failed since yesterday with another parameter, and deletes them", async () => {
    const run = client(the.server.url);
    const ids: string[] = [];
    for (const samples of [1, 2, 3]) {
      const document = {
        inputs: { parameters: { samples, limit: 9 } },
        workflow: { type: "serial", specification: { steps: [{ commands: ["test ${limit} -lt 5"] }] } },
      };
      const query = "&workflow_name=nightly";
      const { body } = await run.call("POST", "workflows", JSON.stringify(document), query);
      ids.push(body["workflow_id"] as string);
      await run.setStatus(ids.at(-1)!, "start");
    }
    await Promise.all(ids.map((id) => run.ended(id)));
    await visit(async (page) => {
      await page.getByRole("link", { name: "By name" }).click();
      await page.getByRole("link", { name: "nightly", exact: true }).waitFor();
      await expectAccessible(page);
      await page.getByRole("link", { name: "nightly", exact: true }).click();
      await page.getByRole("button", { name: "failed", exact: true }).click();
      await page.getByLabel("Time").selectOption("Since yesterday");
      await expect.poll(() => page.url()).toContain("since=yesterday");
      await page.getByText("1–3 of 3").waitFor();
      await page.getByLabel("Select all runs of this page").check();
      await page.getByText("3 selected").waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Restart …" }).click();
      const dialog = page.getByRole("dialog", { name: "Restart 3 runs" });
      await dialog.getByPlaceholder("3 values, unchanged").waitFor();
      await dialog.getByLabel("limit").fill("4");
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Restart", exact: true }).click();
      // The filter hides the new runs, so a sentence mentions the restart.
      await page.getByRole("status").getByText("3 runs restarted.").waitFor();
      await expectAccessible(page);
      await page.goto("/runs?name=nightly&status=finished");
      await page.getByText("1–3 of 3").waitFor();
      await page.getByLabel("Select all runs of this page").check();
      await page.getByRole("button", { name: "Delete …" }).click();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("No run matches.").waitFor();
      await page.getByRole("status").getByText("3 runs deleted.").waitFor();
    });
  });

  test("the keyboard alone finds a run, its views and the theme", async () => {
    await client(the.server.url).create(["true"], "by-keyboard");
    await visit(async (page) => {
      await page.getByRole("button", { name: "Go to" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("An action, a page or the name of a run").waitFor();
      await page.keyboard.type("by-keyboard");
      await page.getByRole("option", { name: "by-keyboard.1" }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "by-keyboard.1" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("An action, a page or the name of a run").waitFor();
      await page.keyboard.type("Theme: dark");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
      // The dialog has given the focus back, and everything is reached in turn.
      await page.keyboard.press("Escape");
      const reached: unknown[] = [];
      while (reached.at(-1) !== "Start" && reached.length < 30) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate("document.activeElement.textContent"));
      }
      expect(reached.at(-1), reached.join(", ")).toBe("Start");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Start" }).waitFor();
    });
  });
});
