import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless } from "#plumbing/needs-suite";
import { CLIENT, type Counterpart, startCounterpart } from "../support/sign-in/counterpart.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";

const ADA = { email: "ada@example.org", email_verified: true, groups: ["atlas"] };

/** Signs people in by real providers, in a real browser. The providers are on another site than the server. */
describeUnless(whyNoBrowser())("in a browser, by a provider", () => {
  const providers = {} as Record<"cern" | "eosc", Counterpart>;
  const the = stage(async (folder) => {
    for (const name of ["cern", "eosc"] as const)
      providers[name] = await startCounterpart({ redirectUris: [], host: "localhost" });
    const secret = path.join(folder, "client.secret");
    await writeFile(secret, CLIENT.secret);
    const sections = [
      section("cern", secret, "who = groups: atlas"),
      section("eosc", secret, "who = anyone"),
    ];
    await writeFile(path.join(folder, "reprise.conf"), sections.join("\n"));
    return [];
  });
  beforeAll(() => {
    for (const name of ["cern", "eosc"] as const)
      providers[name].sendBackTo(`${the.server.url}/sign-in/${name}`);
  });
  afterAll(async () => {
    await providers.cern?.close();
    await providers.eosc?.close();
  });

  function section(name: "cern" | "eosc", secret: string, who: string): string {
    const { issuer } = providers[name];
    return `[sign-in ${name}]
title = ${name.toUpperCase()}
issuer = ${issuer}
client-id = ${CLIENT.id}
client-secret-file = ${secret}
${who}
groups = groups
`;
  }

  async function visitor() {
    const { page, context, faults } = await newVisitor(the.browser, the.server.url);
    const elsewhere = [providers.cern.issuer, providers.eosc.issuer, "https://fonts.googleapis.com"];
    return {
      page,
      context,
      /** Faults of Reprise's own pages. */
      faults: () =>
        faults.filter((fault) => !elsewhere.some((one) => fault.startsWith(`a request to ${one}`))),
    };
  }

  /** Checks the page on a desktop and on a phone. */
  async function look(page: Page): Promise<void> {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  /** Passes the pages of the provider that the button on the page leads to. */
  async function pass(page: Page, button: string, login: string): Promise<void> {
    await page.getByRole("button", { name: button }).click();
    await page.getByPlaceholder("Enter any login").fill(login);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  test("a stranger is refused with a sentence", async () => {
    const { page, context, faults } = await visitor();
    providers.cern.people.set("eve", { ...ADA, email: "eve@example.org", groups: ["cms"] });
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in with EOSC" }).waitFor();
    await look(page);
    await pass(page, "Sign in with CERN", "eve");
    await page.getByRole("alert").getByText("this server admits only some of its people").waitFor();
    expect(page.url()).toBe(`${the.server.url}/sign-in/cern`);
    await look(page);
    await page.getByRole("link", { name: "Back to the sign-in page" }).click();
    await page.getByRole("button", { name: "Sign in with CERN" }).waitFor();
    await page.goto("/sign-in/cern?code=stolen&state=stolen");
    await page.getByRole("alert").getByText("did not begin in this tab").waitFor();
    expect(page.url()).toBe(`${the.server.url}/sign-in/cern`);
    expect(faults()).toEqual([]);
    await context.close();
  });

  test("a person waits for consent, comes in, adds a provider, comes back by it and removes it", async () => {
    const { page, context, faults } = await visitor();
    providers.cern.people.set("ada", ADA);
    providers.eosc.people.set("ada-2", ADA);
    await page.goto("/runs");
    await pass(page, "Sign in with CERN", "ada");
    await page.getByRole("alert").getByText("Your account waits for the consent").waitFor();
    await look(page);
    await admit("ada@example.org");

    await page.getByRole("link", { name: "Back to the sign-in page" }).click();
    await page.getByRole("button", { name: "Sign in with CERN" }).click();
    await page.getByText("You are signed in.").waitFor();
    await look(page);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("You have no runs yet.").waitFor();

    await page.goto("/account");
    await page.getByText("first sign-in").waitFor();
    await look(page);
    await pass(page, "Add EOSC", "ada-2");
    await page.getByRole("listitem").filter({ hasText: "EOSC" }).getByText("added").waitFor();
    expect(page.url()).toBe(`${the.server.url}/account`);
    await look(page);

    await page.getByRole("button", { name: "Account of ada@example.org" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with EOSC" }).waitFor();
    // The page of another site is not followed.
    await page.goto(`/sign-in?to=${encodeURIComponent("//evil.example.org/runs")}`);
    await page.getByRole("button", { name: "Sign in with EOSC" }).click();
    await page.getByRole("button", { name: "Account of ada@example.org" }).waitFor();
    expect(page.url()).toBe(`${the.server.url}/runs`);

    await page.goto("/account");
    await page.getByRole("button", { name: "Remove EOSC" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("EOSC no longer signs anybody in to this account.").waitFor();
    await look(page);
    await question.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Add EOSC" }).waitFor();
    expect(faults()).toEqual([]);
    await context.close();
  });

  async function admit(email: string): Promise<void> {
    const { page, context, faults } = await visitor();
    await signIn(page, the.server.url);
    await page.getByRole("link", { name: "Server" }).click();
    await page.getByText("waits for your consent").waitFor();
    await page.getByRole("button", { name: `Refuse ${email}` }).waitFor();
    await look(page);
    await page.getByRole("button", { name: `Admit ${email}` }).click();
    await page.getByRole("button", { name: `Disable ${email}` }).waitFor();
    expect(faults()).toEqual([]);
    await context.close();
  }
});
