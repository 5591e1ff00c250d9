import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { client, startRealServer } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** The page in a real browser, against a real server with real runs. */
describeUnless(whyNoBrowser())("the page", () => {
  const the = stage();

  test("asks nothing that is refused before a new visitor has signed in", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    const refused: string[] = [];
    page.on("response", (reply) => {
      if (reply.status() >= 400) refused.push(reply.url());
    });
    await page.goto("/runs?status=failed");
    await page.getByLabel("Or paste an access token").waitFor();
    expect(page.url()).toContain(`to=${encodeURIComponent("/runs?status=failed")}`);
    await page.waitForLoadState("networkidle");
    expect(refused).toEqual([]);
    await context.close();
  });

  test("signs in with the printed address, once", async () => {
    const printed = () => /http:\S+\/sign-in#[\w-]{43}/.exec(the.server.output())?.[0];
    await expect.poll(printed).toBeDefined();
    const address = printed()!;
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await page.goto(address);
    await page.waitForURL("**/runs");
    await page.getByText("You have no runs yet.").waitFor();
    expect(page.url()).not.toContain("#");
    expect(await page.evaluate("document.cookie")).toBe("");
    await expectAccessible(page);
    const [cookie] = await context.cookies(`${the.server.url}/api`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/api" });
    const second = await newVisitor(the.browser, the.server.url);
    await second.page.goto(address);
    await second.page.getByRole("alert").getByText("This sign-in code cannot be used").waitFor();
    await expectAccessible(second.page);
    expect([...faults, ...second.faults]).toEqual([]);
    await Promise.all([context.close(), second.context.close()]);
  });

  test("asks about a code that is put into the address of the open page, and signs in with it", async () => {
    const { page, faults, context } = await newVisitor(the.browser, the.server.url);
    await page.goto("/sign-in");
    await page.getByLabel("Or paste an access token").waitFor();
    const { body } = await client(the.server.url).call("POST", "session/codes");
    await page.goto(String(body["path"]));
    await page.getByText("A link has opened this page with a sign-in code.").waitFor();
    expect(page.url()).not.toContain("#");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in with this code" }).click();
    await page.waitForURL("**/runs");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("shows output as it is printed, survives a restart of the server, and sees the end", async () => {
    const run = client(the.server.url);
    const gate = `${the.folder}/gate`;
    const script = `echo first; until [ -e ${gate} ]; do sleep 0.1; done; echo second`;
    const live = await run.create([script], "live");
    await run.setStatus(live, "start");
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.getByRole("link", { name: "live.1" }).click();
    await page.getByText("first", { exact: true }).waitFor();
    await the.server.kill();
    await page.getByText("The server does not respond. Reconnecting …").waitFor();
    // A view that is not loaded yet waits for the server as well, and the loaded views stay.
    const events = page.getByRole("link", { name: "Events", exact: true });
    await events.click();
    await page.getByRole("status").getByText("Loading").waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Log", exact: true }).click();
    await page.getByRole("log").waitFor();
    await events.click();
    const { port } = new URL(the.server.url);
    the.server = await startRealServer(the.folder, {}, "--port", port);
    await page.getByRole("group", { name: "Events" }).waitFor();
    await page.getByRole("link", { name: "Log", exact: true }).click();
    await writeFile(gate, "");
    await page.getByText("second", { exact: true }).waitFor();
    await page.getByText(/^Finished: 1 job/).waitFor();
    expect(await page.getByText("first", { exact: true }).count()).toBe(1);
    await expect.poll(() => page.getByText("Reconnecting").count()).toBe(0);
    await context.close();
  });

  test("asks only for the jobs that have changed while a run goes from job to job", async () => {
    const run = client(the.server.url);
    const gate = (index: number) => `${the.folder}/step-${index}`;
    const script = (index: number) => `until [ -e ${gate(index)} ]; do sleep 0.1; done`;
    const live = await run.create([0, 1, 2].map(script), "job-by-job");
    await run.setStatus(live, "start");
    // The page requests all of a run again whose status changes.
    await expect
      .poll(() => run.status(live))
      .toMatchObject({ status: "running", progress: { running: { total: 1 } } });
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${live}`);
    const jobs = page.getByRole("navigation", { name: "Jobs" });
    await jobs.getByText("1 job", { exact: true }).waitFor();
    await page.getByText(/: 0 of 3 jobs finished/).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url().split(live)[1] ?? ""));
    await writeFile(gate(0), "");
    await jobs.getByText("2 jobs", { exact: true }).waitFor();
    await page.getByText(/: 1 of 3 jobs finished/).waitFor();
    expect(asked.filter((route) => !/^\/jobs\?id=|^\/jobs\/.*\/log\?/.test(route))).toEqual([]);
    // Changes made while another view is shown are there when the reader returns.
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await writeFile(gate(1), "");
    await page.getByText(/: 2 of 3 jobs finished/).waitFor();
    await page.getByRole("link", { name: "Log", exact: true }).click();
    await jobs.getByText("3 jobs", { exact: true }).waitFor();
    await writeFile(gate(2), "");
    await page.getByText(/^Finished: 3 jobs/).waitFor();
    await context.close();
  });
});
