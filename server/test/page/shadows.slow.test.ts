import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeUnless } from "#plumbing/needs-suite";
import { addShadow, recordShadow } from "#store/shadows/shadows";
import { differenceOf, notCompared, type ShadowResult, type ShadowSide } from "#workflow/run/shadow";
import { openDatabaseOf } from "../support/database.ts";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";

const HOUR_MS = 3_600_000;
const side = (change: Partial<ShadowSide> = {}): ShadowSide => ({
  status: "finished",
  seconds: 62.4,
  failure: null,
  ...change,
});

/** The page of comparisons with another server. The other server is away. */
describeUnless(whyNoBrowser())("the page of runs on both servers", () => {
  const the = stage(async () => ["--shadow-of", "http://127.0.0.1:9"]);
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    const admin = client(the.server.url);
    for (const name of ["ada", "bob", "a.very.long.name.of.a.physicist"]) {
      const email = `${name}@example.org`;
      const { body } = await admin.call("POST", "users", undefined, `&email=${email}`);
      tokens.set(name, body["access_token"] as string);
    }
    for (let run = 0; run < 5; run += 1) await addResult("ada", compared(side(), side()));
    await addResult("ada", compared(side(), side({ seconds: 600 })));
    await addResult("bob", compared(side(), side(), ["plots/mass.png", "fit.json"]));
    const words = "2026-11-20 ERROR Job failed: the image docker.io/library/physics:4 cannot be pulled.";
    await addResult("bob", compared(side(), side({ status: "failed", failure: words })));
    const failed = (failure: string) => side({ status: "failed", failure });
    await addResult("bob", compared(failed("s0: exit code 3."), failed(words)));
    await addResult(
      "a.very.long.name.of.a.physicist",
      notCompared("the input in.txt changed after the start"),
    );
    await addResult("bob", undefined);
  });

  function compared(here: ShadowSide, there: ShadowSide, outputs: readonly string[] = []): ShadowResult {
    return { ...differenceOf(here, there, outputs), here, there, outputs };
  }

  /** Records the result of a new run of a user. Without a result, the other server is away. */
  async function addResult(name: string, result: ShadowResult | undefined): Promise<void> {
    const runId = await client(the.server.url, tokens.get(name)).create(["true"]);
    const db = await openDatabaseOf(the.folder);
    const { owner_id: ownerId } = await db
      .selectFrom("runs")
      .select("owner_id")
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
    const nowMs = Date.now();
    await addShadow(db, { runId, ownerId }, nowMs + HOUR_MS);
    await recordShadow(db, runId, {
      remoteId: null,
      failures: result ? 0 : 1,
      dueAtMs: result ? null : nowMs + HOUR_MS,
      problem: result ? null : "127.0.0.1:9 does not respond.",
      result: result ?? null,
    });
    await db.destroy();
  }

  async function visit(work: (page: Page) => Promise<void>, token?: string): Promise<void> {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url, token);
    await work(page);
    expect(faults).toEqual([]);
    await context.close();
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

  const userRow = (page: Page, email: string) => page.getByRole("listitem").filter({ hasText: email });

  test("an administrator sees what differs, who is ready, and that the other server is away", async () => {
    await visit(async (page) => {
      await page.getByRole("link", { name: "Server" }).click();
      await page.getByText("9 runs compared.").waitFor();
      await page.getByRole("link", { name: "What differs" }).click();
      await page.getByRole("heading", { name: "Runs on both servers", level: 1 }).waitFor();
      await page.getByRole("status").getByText("127.0.0.1:9 does not respond. One run waits").waitFor();
      const differences = page.getByRole("group", { name: "Differences" });
      expect(await differences.getByRole("heading").allInnerTexts()).toEqual(
        [
          ["Other status", 1],
          ["Other outputs", 1],
          ["Other words of a failure", 1],
          ["Other duration", 1],
          ["Not compared", 1],
          ["Same result", 5],
        ].map(([title, runs]) => expect.stringMatching(new RegExp(`^${title}\\s+${runs} runs?$`))),
      );
      await differences.getByText("plots/mass.png and other outputs differ").waitFor();
      await userRow(page, "ada@example.org").getByText("ready", { exact: true }).waitFor();
      await userRow(page, "bob@example.org").getByText("results differ").waitFor();
      await userRow(page, "physicist@example.org").getByText("too few runs").waitFor();
      await page.getByText("cannot be pulled").first().waitFor();
      await look(page);
    });
  });

  test("an administrator switches the copies of a user off, and the user switches them on", async () => {
    await visit(async (page) => {
      await page.goto("/shadows");
      await page.getByRole("button", { name: "Stop sending the runs of bob@example.org" }).click();
      await userRow(page, "bob@example.org").getByText("switched off").waitFor();
    });
    await visit(async (page) => {
      await page.goto("/account");
      await page.getByRole("link", { name: "What differs" }).click();
      await page.getByRole("button", { name: "Send again the runs of bob@example.org" }).click();
      await page.getByRole("button", { name: "Stop sending the runs of bob@example.org" }).waitFor();
      expect(await page.getByText("ada@example.org").count()).toBe(0);
      await look(page);
    }, tokens.get("bob"));
  });
});
