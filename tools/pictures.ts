import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { type Pictured, picturedPages } from "./picture-pages.ts";
import { makeRuns } from "./picture-runs.ts";
import { ROOT } from "./project.ts";

/**
 * `npm run pictures [-- FOLDER [PAGE …]]`: takes pictures of the named pages, or of every page and the most
 * important dialogs, in both themes and three widths. A real server shows real runs. All pictures are written
 * to the folder (default: `.cache/pictures`), and the pictures of the tour to `docs/pictures`.
 */
const WIDTHS = [360, 1280, 2560] as const;
const THEMES = ["light", "dark"] as const;
/** Pictures in the tour and the README. */
const IN_TOUR: Readonly<Record<string, string>> = {
  "runs-light-1280": "runs",
  "failed-light-1280": "failed",
  "live-dark-1280": "live",
  "graph-light-1280": "graph",
  "timeline-dark-1280": "timeline",
  "files-light-1280": "files",
  "events-dark-1280": "events",
  "specification-light-1280": "specification",
  "details-light-1280": "details",
  "compare-light-1280": "compare",
  "new-dark-1280": "new",
  "server-light-1280": "server",
};

const [folder = path.join(ROOT, ".cache", "pictures"), ...wanted] = process.argv.slice(2);
const TOUR = path.join(ROOT, "docs", "pictures");

const data = await mkdtemp(path.join(os.tmpdir(), "reprise-pictures-"));
const { server, url, signInUrl } = await startServer();
try {
  const pages = picturedPages(await makeRuns(url, data));
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const context = await browser.newContext({ baseURL: url, reducedMotion: "reduce" });
  await (await context.newPage()).goto(signInUrl);
  await context.pages()[0]!.waitForURL("**/runs");
  await Promise.all([folder, TOUR].map((each) => mkdir(each, { recursive: true })));
  for (const [name, page] of Object.entries(pages)) {
    if (wanted.length === 0 || wanted.includes(name)) await picturesOf(context, name, page);
  }
  await browser.close();
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  await rm(data, { recursive: true, force: true });
}

async function picturesOf(
  context: BrowserContext,
  name: string,
  { address, prepare, isWhole = false }: Pictured,
): Promise<void> {
  const page = context.pages()[0]!;
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 500 ? 740 : 720 });
      await page.evaluate(`localStorage.setItem("reprise-theme", "${theme}")`);
      await page.goto(address);
      await page.locator("h1").waitFor();
      // The first drawing asks for parts that load later and replace the placeholders.
      await page.waitForTimeout(400);
      while ((await page.locator(".fade-in").count()) > 0) await page.waitForTimeout(100);
      await prepare?.(page);
      await page.waitForTimeout(200);
      const file = `${name}-${theme}-${width}`;
      const picture = await page.screenshot({ fullPage: isWhole });
      await writeFile(path.join(folder, `${file}.png`), picture);
      const kept = IN_TOUR[file];
      if (kept !== undefined) await writeFile(path.join(TOUR, `${kept}.png`), picture);
    }
  }
}

async function startServer(): Promise<{ server: ChildProcess; url: string; signInUrl: string }> {
  const args = [
    "tools/run.js",
    "server/bin/reprise.js",
    "serve",
    "--json",
    "--port",
    "0",
    "--data",
    data,
    "--stop-jobs",
    "--containers",
    "none",
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url: address, sign_in_url: signIn } = JSON.parse(line.toString()) as Record<string, string>;
  return { server: child, url: address!, signInUrl: signIn! };
}
