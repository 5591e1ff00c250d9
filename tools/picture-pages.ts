import type { Page } from "playwright-core";
import type { Made } from "./picture-runs.ts";

/** A page to take a picture of. */
export interface Pictured {
  readonly address: string;
  /** Leads from the page to the content of the picture, such as a dialog. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** True if the picture is as long as the page. */
  readonly isWhole?: boolean;
}

/** Returns the pages by the names of their pictures. */
export function picturedPages({
  shown,
  other,
  failed,
  live,
  created,
}: Made): Readonly<Record<string, Pictured>> {
  return {
    runs: { address: "/runs" },
    selected: { address: "/runs?search=z-peak", prepare: selectTwo },
    palette: { address: "/runs", prepare: searchInPalette },
    failed: { address: `/runs/${failed}` },
    live: { address: `/runs/${live}` },
    graph: { address: `/runs/${failed}/graph` },
    timeline: { address: `/runs/${shown}/timeline` },
    events: { address: `/runs/${failed}/events` },
    files: { address: `/runs/${shown}/files?folder=plots&file=plots/spectrum.svg` },
    table: { address: `/runs/${shown}/files?file=histogram.csv` },
    specification: { address: `/runs/${shown}/specification` },
    details: { address: `/runs/${shown}/details` },
    compare: { address: `/compare?a=${shown}&b=${other}`, isWhole: true },
    new: { address: "/new" },
    nothing: { address: "/runs?search=nothing" },
    "no-run": { address: "/runs/nothing.1" },
    account: { address: "/account", isWhole: true },
    server: { address: "/admin", isWhole: true },
    "sign-in": { address: "/sign-in" },
    start: { address: `/runs/${created}`, prepare: (page) => open(page, "Start") },
    restart: { address: `/runs/${shown}`, prepare: changeAndRestart },
    share: { address: `/runs/${shown}`, prepare: (page) => open(page, "Share") },
    notes: { address: `/runs/${shown}`, prepare: (page) => open(page, "Note") },
    notebook: { address: `/runs/${shown}`, prepare: (page) => open(page, "Notebook") },
    publish: { address: `/runs/${shown}/details`, prepare: (page) => open(page, "Make a draft") },
    delete: { address: `/runs/${shown}`, prepare: (page) => openFromMenu(page, "Delete") },
    token: { address: "/account", prepare: issueToken },
  };
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

/** Opens a dialog by its button. */
async function open(page: Page, name: string): Promise<void> {
  await press(page, name);
  await page.getByRole("dialog").waitFor();
}

async function selectTwo(page: Page): Promise<void> {
  await page.getByLabel("Select z-peak.3").check();
  await page.getByLabel("Select z-peak.4").check();
}

async function searchInPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("An action, a page or the name of a run").fill("z-p");
  await page.getByRole("option", { name: "z-peak.3" }).waitFor();
}

async function changeAndRestart(page: Page): Promise<void> {
  await press(page, "Restart");
  await page.getByLabel("threshold").fill("0.5");
  await page.getByText("1 taken over, 4 to run").waitFor();
}

async function openFromMenu(page: Page, name: string): Promise<void> {
  await press(page, "More actions");
  await page.getByRole("menuitem", { name }).click();
  await page.getByRole("dialog").waitFor();
}

async function issueToken(page: Page): Promise<void> {
  await press(page, "New token");
  await page.getByLabel("Name, such as notebook").fill("notebook");
  await press(page, "Create");
  await page.getByText("copy it now").waitFor();
}
