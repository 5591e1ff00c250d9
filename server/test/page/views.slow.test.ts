import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

const LINES = 3000;
const NUMBERS = { energy: [91, 92], counts: { kept: 412 } };
const plot = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="${color}"/></svg>`;

/** A workflow of two workflows with many steps each: too many to be drawn at once. */
const STEPS_INSIDE = 21;
const inner = (id: string) => ({
  class: "Workflow",
  id,
  inputs: [],
  outputs: [],
  steps: Array.from({ length: STEPS_INSIDE }, (_, index) => ({
    id: `part${index}`,
    in: [],
    out: [],
    run: "#echo",
  })),
});
const GROUPED = {
  cwlVersion: "v1.2",
  $graph: [
    { class: "CommandLineTool", id: "echo", baseCommand: ["echo", "hello"], inputs: [], outputs: [] },
    inner("simulation"),
    inner("calibration"),
    {
      class: "Workflow",
      id: "main",
      requirements: [{ class: "SubworkflowFeatureRequirement" }],
      inputs: [],
      outputs: [],
      steps: ["simulation", "calibration"].map((id) => ({ id, in: [], out: [], run: `#${id}` })),
    },
  ],
};

/** Types into the search as soon as it is in the document. */
const TYPE_AT_ONCE = `new MutationObserver((_, observer) => {
  const field = document.querySelector("input[type=search]");
  if (!field) return;
  observer.disconnect();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "nowhere");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}).observe(document, { childList: true, subtree: true })`;

/** Presses the key of the palette as soon as the palette's button is in the document. */
const PRESS_AT_ONCE = `new MutationObserver((_, observer) => {
  if (!document.querySelector("header kbd")) return;
  observer.disconnect();
  dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
}).observe(document, { childList: true, subtree: true })`;

/** Each view of the page in a real browser, with runs of a real server that has its sample run. */
describeUnless(whyNoBrowser())("a view", () => {
  const the = stage(undefined, { REPRISE_SAMPLE_RUN: "true" });
  let [failed, second] = ["", ""];

  async function visit(work: (page: Page) => Promise<void>, more = {}): Promise<void> {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url, more);
    await signIn(page, the.server.url);
    await work(page);
    expect(faults).toEqual([]);
    await context.close();
  }

  test("shows the sample run first, and below it how to run one's own", async () => {
    await visit(async (page) => {
      await page.getByRole("link", { name: "hello.1" }).waitFor();
      const own = page.getByRole("region", { name: "Run your own" });
      await own.getByText("Drop a folder or a reana.yaml here").waitFor();
      await own.getByRole("button", { name: "Fetch and start" }).waitFor();
      await own.getByRole("button", { name: "energy-peak" }).waitFor();
    });
  });

  test("shows why the server refused, and that it does not respond, and recovers from both", async () => {
    await visit(async (page) => {
      const sentence = "The database does not respond. Try again.";
      await page.route("**/api/workflows?*", (route) =>
        route.fulfill({ status: 500, json: { message: sentence } }),
      );
      await page.reload();
      await page.getByRole("alert").getByText(sentence).waitFor();
      await page.unroute("**/api/workflows?*");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("link", { name: "hello.1" }).waitFor();
      await page.context().setOffline(true);
      await page.getByText("The server does not respond. Reconnecting …").waitFor();
      await page.getByRole("link", { name: "hello.1" }).waitFor();
      await page.context().setOffline(false);
      await page.getByText("Reconnecting").waitFor({ state: "detached" });
    });
  });

  test("says that an address leads nowhere, and the way back", async () => {
    await visit(async (page) => {
      for (const [address, title] of [
        ["/runs/nothing.1", "No such run"],
        ["/compare", "Compare"],
        ["/nowhere", "No such page"],
      ] as const) {
        await page.goto(address);
        await page.getByRole("heading", { name: title }).waitFor();
        await page.getByRole("link", { name: "All runs" }).waitFor();
        await expectAccessible(page);
      }
    });
  });

  test("of the API, which the server writes, is accessible in both themes", async () => {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await page.goto("/api/docs");
    await page.getByRole("heading", { name: "The API of Reprise" }).waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("keeps the first letters of a search, even those typed while it is drawn", async () => {
    await visit(async (page) => {
      await page.addInitScript(TYPE_AT_ONCE);
      await page.goto("/runs");
      await expect.poll(() => page.url()).toContain("search=nowhere");
      await page.getByText("No run matches.").waitFor();
    });
  });

  test("opens the palette if its key is pressed the moment its button is drawn", async () => {
    await visit(async (page) => {
      await page.addInitScript(PRESS_AT_ONCE);
      await page.goto("/runs");
      await page.getByPlaceholder("An action, a page or the name of a run").waitFor();
    });
  });

  describe("of a run", () => {
    beforeAll(async () => {
      const run = client(the.server.url);
      const make = async (color: string) => {
        const script = `seq -f 'event %g' ${LINES}; printf '\\033[31mred\\033[0m\\nKeyError: 17\\n'; cp ${color}.svg plot.svg; exit 1`;
        const id = await run.create([script], "views");
        for (const one of ["red", "blue"]) await run.upload(id, `${one}.svg`, plot(one));
        await run.upload(id, "numbers.json", JSON.stringify(NUMBERS));
        await run.upload(id, "empty.txt", "");
        for (let index = 0; index < 10; index += 1) await run.upload(id, `data/part-${index}.root`, "root");
        await run.setStatus(id, "start");
        await run.ended(id);
        return id;
      };
      [failed, second] = await Promise.all([make("red"), make("blue")]);
    });

    test("log: search, a link to a line, colours and the download", async () => {
      await visit(async (page) => {
        await page.goto(`/runs/${failed}`);
        const lines = page.getByRole("log");
        await lines.getByText("KeyError: 17", { exact: true }).waitFor();
        expect(await lines.getByText("red", { exact: true }).getAttribute("class")).toMatch(/text-/);
        await page.getByLabel("Search in the log").fill("event 123");
        await page.getByText("0/11").waitFor();
        await page.getByLabel("Search in the log").press("Enter");
        await page.getByText("1/11").waitFor();
        const found = page.locator('[data-line="123"].bg-tint');
        await found.waitFor();
        await lines.getByRole("button", { name: "Link to line 120" }).click();
        await expect.poll(() => page.url()).toContain("line=120");
        await page.reload();
        await page.locator('[data-line="120"].bg-tint').waitFor();
        await page.getByRole("button", { name: "Error", exact: true }).click();
        await page.locator(`[data-line="${LINES + 2}"].bg-tint`).waitFor();
        const [log] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("link", { name: /KiB$/ }).click(),
        ]);
        expect((await readFile(await log.path(), "utf8")).split("\n")).toHaveLength(LINES + 3);
      });
    });

    test("files: search, order, and previews by kind", async () => {
      await visit(async (page) => {
        await page.goto(`/runs/${failed}/files?file=numbers.json`);
        await page.getByText('"kept": 412').waitFor();
        await page.goto(`/runs/${failed}/files?file=empty.txt`);
        await page.getByText("The file is empty.").waitFor();
        await page.goto(`/runs/${failed}/files?folder=data&file=data/part-3.root`);
        await page.getByText("There is no preview of this kind of file.").waitFor();
        await page.getByLabel("Search files").fill("part-7");
        await page.getByRole("button", { name: "part-3.root", exact: true }).waitFor({ state: "detached" });
        await page.getByRole("button", { name: "part-7.root", exact: true }).waitFor();
        await page.goto(`/runs/${failed}/files`);
        await page.getByRole("button", { name: "Size" }).click();
        await page
          .getByRole("columnheader", { name: "Size" })
          .and(page.locator('[aria-sort="descending"]'))
          .waitFor();
      });
    });

    test("details: none of the declared outputs was made", async () => {
      await visit(async (page) => {
        const document = {
          outputs: { files: ["table.csv"] },
          workflow: { type: "serial", specification: { steps: [{ name: "step", commands: ["exit 1"] }] } },
        };
        const run = client(the.server.url);
        const { body } = await run.call("POST", "workflows", JSON.stringify(document));
        const id = body["workflow_id"] as string;
        await run.setStatus(id, "start");
        await run.ended(id);
        await page.goto(`/runs/${id}/details`);
        await page.getByText("None of the declared outputs was made.").waitFor();
      });
    });

    test("results: the runs of one name by parameter, with pictures, and a note that is found by its tag", async () => {
      const run = client(the.server.url);
      for (const width of [20, 3]) {
        const steps = [
          { name: "draw", commands: ["echo width ${width} > fit.txt", `echo '${plot("red")}' > plot.svg`] },
        ];
        const document = {
          inputs: { parameters: { width, sample: "A" } },
          outputs: { files: ["fit.txt", "plot.svg"] },
          workflow: { type: "serial", specification: { steps } },
        };
        const named = "&workflow_name=sweep";
        const { body } = await run.call("POST", "workflows", JSON.stringify(document), named);
        await run.setStatus(body["workflow_id"] as string, "start");
        await run.ended(body["workflow_id"] as string);
      }
      await visit(async (page) => {
        await page.goto("/runs?by=results&name=sweep");
        await page.getByRole("img", { name: "plot.svg of sweep.2" }).waitFor();
        const rows = page.getByRole("row").filter({ hasText: "finished" });
        expect(await rows.first().innerText()).toContain("width 3");
        expect(await page.getByRole("columnheader", { name: "sample" }).count()).toBe(0);
        const head = page.getByRole("button", { name: "width" });
        await head.click();
        await head.click();
        expect(await rows.first().innerText()).toContain("width 20");
        await expectAccessible(page);
        await page.getByLabel("Filter by parameter").fill("width=3");
        await page.getByLabel("Filter by parameter").press("Enter");
        await page.getByText("width 20").waitFor({ state: "detached" });
        await page.getByRole("link", { name: "sweep.2" }).first().click();
        await page.getByRole("button", { name: "Note", exact: true }).click();
        await page.getByRole("textbox", { name: "Tags" }).fill("paper, new");
        await expectAccessible(page);
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("link", { name: "#paper" }).click();
        await page.getByRole("link", { name: "sweep.2" }).waitFor();
        expect(await page.getByRole("link", { name: "sweep.1" }).count()).toBe(0);
        await expectAccessible(page);
      });
    });

    test("comparison: two pictures beside and over each other", async () => {
      await visit(async (page) => {
        await page.goto(`/compare?a=${failed}&b=${second}`);
        await page.getByRole("img", { name: "plot.svg of views.1" }).waitFor();
        await page.getByRole("img", { name: "plot.svg of views.2" }).waitFor();
        await page.getByLabel("Overlaid").fill("100");
        await page.getByText("The same.").first().waitFor();
      });
    });

    test("actions: the refused one with its reason, and each in the palette", async () => {
      await visit(async (page) => {
        await page.goto(`/runs/${failed}`);
        await page.getByRole("button", { name: "More actions" }).click();
        const stop = page.getByRole("menuitem", { name: /^Stop/ });
        expect(await stop.getAttribute("aria-disabled")).toBe("true");
        await stop.getByText(/could not be stopped/).waitFor();
        await page.keyboard.press("Escape");
        // Enter carries out the first action, which belongs to the run.
        await page.keyboard.press("Control+k");
        await page
          .getByRole("option", { selected: true })
          .getByText(/ this run$| the log$| the error$/)
          .waitFor();
        const palette = page.getByPlaceholder("An action, a page or the name of a run");
        await page.keyboard.press("Escape");
        await palette.waitFor({ state: "hidden" });
        for (const [action, dialog] of [
          ["Rerun this run", /^Rerun/],
          ["Share this run", /^Share/],
          ["Delete this run", /^Delete/],
        ] as const) {
          await page.keyboard.press("Control+k");
          await palette.waitFor();
          await page.keyboard.type(action);
          await page.keyboard.press("Enter");
          const opened = page.getByRole("dialog", { name: dialog });
          await opened.waitFor();
          await page.keyboard.press("Escape");
          await opened.waitFor({ state: "hidden" });
        }
      });
    });

    test("the palette opens again if its key is pressed the moment Escape has closed it", async () => {
      await visit(async (page) => {
        await page.goto(`/runs/${failed}`);
        await page.getByRole("button", { name: "Go to" }).click();
        const palette = page.getByPlaceholder("An action, a page or the name of a run");
        await palette.waitFor();
        await page.evaluate(`
          const dialog = document.querySelector("dialog");
          new MutationObserver((changes, observer) => {
            observer.disconnect();
            dialog.dataset.left = "true";
            dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
          }).observe(dialog, { attributeFilter: ["open"] });
        `);
        await page.keyboard.press("Escape");
        await page.locator("dialog[open]:not([data-left])").waitFor();
      });
    });

    test("times are those of the reader's zone", async () => {
      const { body } = await client(the.server.url).call("GET", `workflows/${failed}/status`);
      const timeZone = "Asia/Kathmandu";
      const clock = new Intl.DateTimeFormat("en-US", { timeStyle: "short", hourCycle: "h23", timeZone });
      await visit(
        async (page) => {
          const row = page.getByRole("row").filter({ hasText: "views.1" });
          await row.getByText(clock.format(new Date(`${body["created"] as string}Z`))).waitFor();
        },
        { timezoneId: timeZone, locale: "en-US" },
      );
    });

    test("on a phone nothing is wider than the screen", async () => {
      await visit(
        async (page) => {
          const views = ["", "/graph", "/timeline", "/events", "/files", "/specification", "/details"];
          const pages = [
            "/runs",
            "/runs?by=name",
            "/new",
            "/account",
            "/admin",
            "/shadows",
            `/compare?a=${failed}&b=${second}`,
          ];
          for (const address of [...pages, ...views.map((view) => `/runs/${failed}${view}`)]) {
            await page.goto(address);
            await page.getByRole("heading", { level: 1 }).waitFor();
            await expect.poll(() => page.locator(".fade-in").count(), { message: address }).toBe(0);
            const width = () => page.evaluate("document.documentElement.scrollWidth");
            await expect.poll(width, { message: address }).toBe(360);
          }
        },
        { viewport: { width: 360, height: 740 } },
      );
    });
  });

  test("of a large graph has closed groups, which the keyboard opens", async () => {
    const run = client(the.server.url);
    const document = { workflow: { type: "cwl", file: "main.cwl", specification: GROUPED } };
    const { body } = await run.call("POST", "workflows", JSON.stringify(document), "&workflow_name=groups");
    await run.setStatus(body["workflow_id"] as string, "start");
    await visit(async (page) => {
      await page.goto(`/runs/${body["workflow_id"] as string}/graph`);
      const group = page.getByRole("button", { name: `simulation ${STEPS_INSIDE} steps inside` });
      await group.waitFor();
      expect(await page.getByRole("button", { name: /^part/ }).count()).toBe(0);
      await group.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: /^part20 / }).waitFor();
      await page.getByRole("button", { name: "Zoom In" }).press("Enter");
      await page.getByRole("button", { name: "Close all groups" }).press("Enter");
      await page.getByRole("button", { name: /^part20 / }).waitFor({ state: "detached" });
      await group.press("Enter");
      await page.getByRole("button", { name: /^part7 / }).press("Enter");
      await page.getByRole("log").getByText("hello").waitFor();
    });
  });
});
