import process from "node:process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, whyNoBrowser } from "../page/browser.ts";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";
import { describeUnless } from "#plumbing/needs-suite";

const JUPYTER = process.env["REPRISE_TEST_JUPYTER"];
const NO_JUPYTER = "it needs JupyterLab: set REPRISE_TEST_JUPYTER to its program";
const NOTEBOOK = {
  cells: [
    {
      cell_type: "code",
      execution_count: null,
      id: "sum",
      metadata: {},
      outputs: [],
      source: "open('sum.txt', 'w').write(str(sum(range(10)))); print('the sum is', sum(range(10)))",
    },
  ],
  metadata: { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } },
  nbformat: 4,
  nbformat_minor: 5,
};

/** A real JupyterLab with a kernel, in a sandbox if available, used in a real browser. */
describeUnless(JUPYTER === undefined ? NO_JUPYTER : whyNoBrowser())("JupyterLab beside a run", () => {
  let server: RealServer;
  let browser: Browser;
  let { folder, remove } = { folder: "", remove: async () => {} };

  beforeAll(async () => {
    ({ folder, remove } = await temporaryFolder());
    const start = () => startRealServer(folder, { REPRISE_SANDBOX: "auto" }, "--jupyter", JUPYTER!);
    [server, browser] = await Promise.all([start(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await remove();
  });

  test("runs the cells of a notebook on the run's files", async () => {
    const { call, create } = client(server.url);
    const run = await create(["true"], "lab");
    await call("POST", `workflows/${run}/workspace`, JSON.stringify(NOTEBOOK), "&file_name=sum.ipynb");
    expect((await call("POST", `workflows/${run}/open/jupyter`, "{}")).status).toBe(200);
    const { body } = await call("GET", `workflows/${run}/interactive-session-secret`);
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    // The address printed by REANA's clients.
    await page.goto(`${server.url}/${run}?token=${String(body["session_secret"])}`);
    await page.getByRole("heading", { name: "The notebook is starting" }).waitFor({ state: "detached" });
    await page.getByText("sum.ipynb").first().dblclick();
    await page.getByText(/\| Idle$/).waitFor();
    // Keys go to the focused cell.
    await page.locator(".jp-CodeCell .jp-InputArea-editor").click();
    await page.keyboard.press("Shift+Enter");
    await page.getByText("the sum is 45").waitFor();
    const reply = await fetch(
      `${server.url}/api/workflows/${run}/workspace/sum.txt?access_token=test.admin.0123456789abcdefghijklmnopqrstuvwxyz`,
    );
    expect(await reply.text()).toBe("45");
    expect((await call("POST", `workflows/${run}/close`)).status).toBe(200);
  });
});
