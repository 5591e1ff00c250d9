import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { TOKEN } from "./server-process.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");

/** A headless browser that is signed in to a server. */
export interface SignedIn {
  readonly page: Page;
  /**
   * Returns the memory of the tab in MB: the private memory of its process, and its share of shared memory.
   */
  memoryMb(): Promise<number>;
  close(): Promise<void>;
}

/** Builds the page if its sources changed, opens a browser and signs in. */
export async function openPage(url: string): Promise<SignedIn> {
  execFileSync(process.execPath, [path.join(ROOT, "tools", "build-page.ts")]);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const reply = await fetch(`${url}/api/session/codes`, { method: "POST", headers });
  await page.goto(((await reply.json()) as { path: string }).path);
  await page.waitForURL("**/runs");
  return { page, memoryMb: () => memoryOfTab(browser), close: () => browser.close() };
}

/** Returns the time from the start of the navigation until the text is there, in milliseconds. */
export async function paintedMs(page: Page, address: string, text: string): Promise<number> {
  await page.goto("about:blank");
  await page.goto(address, { waitUntil: "commit" });
  await page.getByText(text).first().waitFor();
  return page.evaluate("new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())))");
}

async function memoryOfTab(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const tabs = processInfo.filter(({ type }) => type === "renderer");
  const sizes = await Promise.all(tabs.map(({ id }) => shareMb(id)));
  return Math.max(...sizes);
}

async function shareMb(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+)/m.exec(text)![1]) / 1024;
}
