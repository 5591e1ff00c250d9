import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { markupFaults } from "./markup.ts";
import { ADMIN_TOKEN, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Returns the reason for skipping the stories of the page on this machine. Undefined if a browser is
 * installed.
 */
export function whyNoBrowser(): string | undefined {
  return CHROMIUM.some((file) => existsSync(file))
    ? undefined
    : "it needs Chromium: apt-get install chromium";
}

/** Builds the page if its sources have changed. */
export function buildPage(): void {
  execFileSync(process.execPath, [path.join(ROOT, "tools", "build-page.ts")]);
}

interface Stage {
  server: RealServer;
  browser: Browser;
  folder: string;
}

/** Starts a server and a browser for the tests of one file. A test may replace the server by its next life. */
export function stage(
  options: (folder: string) => Promise<readonly string[]> = async () => [],
  environment: Record<string, string> = {},
): Stage {
  const the = {} as Stage;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ folder: the.folder, remove } = await temporaryFolder());
    const start = async () => startRealServer(the.folder, environment, ...(await options(the.folder)));
    buildPage();
    [the.server, the.browser] = await Promise.all([start(), launchBrowser()]);
  });
  afterAll(async () => {
    await the.browser?.close();
    await the.server?.stop();
    await remove();
  });
  return the;
}

/** Starts a browser for pages that are not Reprise's own. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = CHROMIUM.find((file) => existsSync(file))!;
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A page of a user of its own, who is not signed in yet. Every complaint of the browser is kept in `faults`. */
export async function newVisitor(browser: Browser, url: string, more: BrowserContextOptions = {}) {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ baseURL: url, viewport, ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // A refusal that the page shows is no fault of the page.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    // The viewer of PDFs is a part of the browser.
    if (!request.url().startsWith(url) && !/^(data|blob|chrome|chrome-extension):/.test(request.url()))
      faults.push(`a request to ${request.url()}`);
  });
  return { context, page, faults };
}

/** Signs in like `reprise login`. */
export async function signIn(page: Page, url: string, token = ADMIN_TOKEN): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/api/session/codes`, { method: "POST", headers });
  const { path: address } = (await reply.json()) as { path: string };
  await page.goto(address);
  await page.waitForURL("**/runs");
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

const THEMES = ["light", "dark"] as const;

/** Checks the current markup, and with axe the look in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  const html = await page.evaluate<string>("document.documentElement.outerHTML");
  expect(await markupFaults(`<!DOCTYPE html>${html}`)).toEqual([]);
  // In an isolated world, where the policy of the page does not forbid scripts.
  await page.evaluate(axe.source);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    const results = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
    const found = results.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${theme}: ${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
    );
    expect(found).toEqual([]);
  }
}
