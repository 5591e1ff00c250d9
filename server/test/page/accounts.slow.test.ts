import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { registerHost, signOffHost } from "#store/hosts/hosts";
import { openDatabaseOf } from "../support/database.ts";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** Uses the pages of accounts, and the administrator's pages of the server, in a real browser. */
describeUnless(whyNoBrowser())("on the pages of accounts and of the server", () => {
  const the = stage();

  async function visit(work: (page: Page) => Promise<void>): Promise<void> {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await work(page);
    expect(faults).toEqual([]);
    await context.close();
  }

  test("two users see only their own, and the administrator gives and takes access", async () => {
    let token = "";
    await visit(async (page) => {
      await page.getByRole("link", { name: "Server" }).click();
      await page.getByRole("button", { name: "Add a user" }).click();
      await page.getByLabel("E-mail address").fill("eve@example.org");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      token = await page.locator("code").innerText();
      await page.getByText("present").waitFor();
      await page.getByText(/are free\./).waitFor();
      await page.getByRole("cell", { name: "create-user" }).first().waitFor();
      await expectAccessible(page);
    });
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await page.goto("/sign-in");
    await page.getByLabel("Or paste an access token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("You have no runs yet.").waitFor();
    expect(await page.getByRole("link", { name: "Server" }).count()).toBe(0);
    await page.getByRole("button", { name: "Account of eve@example.org" }).click();
    await page.getByRole("menuitem", { name: "Account" }).click();
    await page.getByText("this one").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name, such as notebook").fill("reader");
    await page.getByLabel("Look at runs and their files").check();
    await page.getByLabel("Expires").selectOption("After 7 days");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("reads only").waitFor();
    const reader = client(the.server.url, await page.locator("code").innerText());
    expect(await reader.call("GET", "workflows")).toMatchObject({ status: 200 });
    expect(await reader.call("POST", "workflows", "{}")).toMatchObject({ status: 403 });
    await visit(async (admins) => {
      await admins.getByRole("link", { name: "Server" }).click();
      await admins.getByRole("button", { name: "Disable eve@example.org" }).click();
      await admins.getByRole("button", { name: "Enable eve@example.org" }).waitFor();
    });
    await page.goto("/runs");
    await page.getByRole("alert").getByText("This user is disabled").waitFor();
    await context.close();
  });

  test("the sign-in page shows the announcement as text, before anyone signs in", async () => {
    const said = "Upgrade at noon <img src=x onerror=\"document.title='taken'\">.";
    const admin = client(the.server.url);
    await admin.call("PUT", "admin/announcement", JSON.stringify({ announcement: said }));
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await page.goto("/sign-in");
    await page.getByRole("status").getByText(said).waitFor();
    await expectAccessible(page);
    expect(await page.title()).not.toBe("taken");
    expect(faults).toEqual([]);
    await admin.call("DELETE", "admin/announcement");
    await context.close();
  });

  test("the administrator sorts the users by usage", async () => {
    const admin = client(the.server.url);
    await admin.call("POST", "users", undefined, "&email=zoe@example.org");
    const run = await admin.create(["true"]);
    await admin.upload(run, "data", "x".repeat(300_000));
    await visit(async (page) => {
      await page.goto("/admin");
      const rows = page.getByRole("group", { name: "Usage of all users" }).getByRole("row");
      const first = () => rows.nth(1).innerText();
      await rows.nth(1).waitFor();
      expect(await first()).toMatch(/^admin@localhost\s.*KiB$/s);
      await page.getByRole("button", { name: "Disk", exact: true }).click();
      expect(await first()).toMatch(/example\.org/);
      await page.getByRole("button", { name: "User", exact: true }).click();
      expect(await first()).toContain("admin@localhost");
      expect(await rows.last().innerText()).toContain("zoe@example.org");
      await page
        .getByRole("columnheader", { name: "User" })
        .and(page.locator("[aria-sort=ascending]"))
        .waitFor();
      await expectAccessible(page);
    });
  });

  test("a phone shows all columns of the usage, and breaks no address inside a word", async () => {
    const admin = client(the.server.url);
    const email = "theodora.montgomery@particles.example.org";
    const { body } = await admin.call("POST", "users", undefined, `&email=${email}`);
    await client(the.server.url, body["access_token"] as string).create(["true"]);
    await visit(async (page) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto("/admin");
      await page.getByRole("group", { name: "Usage of all users" }).getByText(email).waitFor();
      await page.getByRole("group", { name: "Entries" }).getByText(email).first().waitFor();
      expect(await page.evaluate(`(${IS_CUT})(${groupNamed("Usage of all users")})`)).toBe(false);
      expect(await page.evaluate(`(${BROKEN_WORDS})(${groupNamed("Usage of all users")})`)).toEqual([]);
      expect(await page.evaluate(`(${BROKEN_WORDS})(${groupNamed("Entries")})`)).toEqual([]);
      await expectAccessible(page);
    });
  });

  test("somebody adds a secret, and deletes it", async () => {
    await visit(async (page) => {
      await page.goto("/account");
      const add = async (value: string) => {
        await page.getByLabel("Name of the secret").fill("GRID_PASSWORD");
        await page.getByLabel("Value of the secret").fill(value);
        await page.getByRole("button", { name: "Add", exact: true }).click();
      };
      await add("correct horse");
      const remove = page.getByRole("button", { name: "Delete GRID_PASSWORD" });
      await remove.waitFor();
      expect(await page.getByLabel("Value of the secret").inputValue()).toBe("");
      await add("another");
      await page
        .getByRole("alert")
        .getByText(/GRID_PASSWORD already exist/)
        .waitFor();
      await expectAccessible(page);
      await remove.click();
      const dialog = page.getByRole("dialog", { name: "Delete GRID_PASSWORD?" });
      await dialog.getByRole("button", { name: "Delete" }).click();
      await remove.waitFor({ state: "detached" });
    });
    expect(await client(the.server.url).call("GET", "secrets")).toMatchObject({ body: [] });
  });

  test("the administrator drains the server, and declares a silent host lost", async () => {
    const db = await openDatabaseOf(the.folder);
    await registerHost(db, { id: "elsewhere", name: "node-7.example.org" });
    await signOffHost(db, "elsewhere");
    await db.destroy();
    await visit(async (page) => {
      await page.getByRole("link", { name: "Server" }).click();
      await page.getByRole("button", { name: "Drain", exact: true }).click();
      await page.getByText("Drained: no queued run starts, and running ones continue.").waitFor();
      await page.getByRole("button", { name: "End the drain" }).click();
      await page.getByText("Queued runs start as there is room.").waitFor();

      const host = page.getByRole("listitem").filter({ hasText: "node-7.example.org" });
      await host.getByText("silent").waitFor();
      await host.getByRole("button", { name: "Declare lost …" }).click();
      const dialog = page.getByRole("dialog", { name: "Declare node-7.example.org lost?" });
      await dialog.getByText("Its jobs count as lost").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Declare lost" }).click();
      await host.getByText("lost", { exact: true }).waitFor();
      await dialog.waitFor({ state: "detached" });
      expect(await host.getByRole("button").count()).toBe(0);
    });
  });

  test("the administrator limits a user and everybody, and issues a token that only reads", async () => {
    const admin = client(the.server.url);
    const { body } = await admin.call("POST", "users", undefined, "&email=mia@example.org");
    await visit(async (page) => {
      await page.getByRole("link", { name: "Server" }).click();
      await page.getByRole("button", { name: "New token for mia@example.org" }).click();
      await page.getByLabel("Name, such as notebook").fill("dashboard");
      await page.getByLabel("Look at runs and their files").check();
      await page.getByLabel("Expires").selectOption("After 7 days");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Create" }).click();
      const reader = client(the.server.url, await page.locator("code").innerText());
      expect(await reader.call("GET", "workflows")).toMatchObject({ status: 200 });
      expect(await reader.call("POST", "workflows", "{}")).toMatchObject({ status: 403 });

      await page.getByRole("button", { name: "Limits of mia@example.org" }).click();
      const limits = page.getByRole("dialog", { name: "Limits of mia@example.org" });
      await limits.getByLabel(/^Wall clock of the runs/).fill("20");
      await limits.getByRole("button", { name: "Save" }).click();
      await limits.getByRole("alert").getByText("give an amount such as 100h").waitFor();
      await expectAccessible(page);
      await limits.getByLabel(/^Wall clock of the runs/).fill("20h");
      await limits.getByRole("button", { name: "Save" }).click();
      await limits.waitFor({ state: "detached" });

      await page.getByText("Nobody is limited.").waitFor();
      await page.getByRole("button", { name: "Add a policy" }).click();
      await page.getByLabel("Runs active at once").fill("3");
      await page.getByLabel("Images").fill("python\ndocker.io/rootproject/*");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("3 runs at once · images python, docker.io/rootproject/*").waitFor();
      await page.getByRole("button", { name: "Change the policy of everybody" }).click();
      await page.getByLabel("Runs active at once").fill("");
      await page.getByLabel("Images").fill("");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Nobody is limited.").waitFor();
      await expectAccessible(page);
    });
    const own = await client(the.server.url, body["access_token"] as string).call("GET", "you");
    expect(own.body).toMatchObject({ quota: { wall: { limit: { raw: 72_000_000 } } } });
  });
});

const groupNamed = (name: string) => `document.querySelector("[role=group][aria-label='${name}']")`;

/** Returns whether an element is wider than its frame, in the browser. */
const IS_CUT = "({ scrollWidth, clientWidth }) => scrollWidth > clientWidth";

/** Returns the words of an element that are on more than one line, in the browser. */
const BROKEN_WORDS = `(element) => {
  const words = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { index, 0: word } of node.textContent.matchAll(/\\w+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length > 1) words.push(word);
    }
  }
  return words;
}`;
