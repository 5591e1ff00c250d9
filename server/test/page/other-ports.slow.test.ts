import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN, client } from "../support/real-server.ts";
import { standInForJupyter } from "../notebooks/stand-in.ts";
import { newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** A page of a job, on another port of the host name by which a user is signed in. Browsers send it the cookie. */
describeUnless(whyNoBrowser())("in a signed-in browser, a page on another port", () => {
  const the = stage(async (folder) => ["--jupyter", await standInForJupyter(folder), "--containers", "none"]);
  /** Cookies and paths received on the other port. */
  const caught: { cookie: string; url: string }[] = [];
  let planted: string[] = [];
  const listener = createServer((request, response) => {
    const { cookie = "", host = "" } = request.headers;
    caught.push({ cookie, url: request.url! });
    response.writeHead(200, { "content-type": "text/html", "set-cookie": planted });
    response.end(`<title>${host}</title><img src="/api/picture"><script>fetch("/api/script")</script>`);
  });
  let other = "";
  let run = "";
  beforeAll(async () => {
    await once(listener.listen(0, "127.0.0.1"), "listening");
    other = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const runs = client(the.server.url);
    run = await runs.create(["true"]);
    const elsewhere = `<img src="${other}/seen"><style>@import "${other}/style"</style>`;
    await runs.upload(run, "page.html", `${elsewhere}<p>a page</p>`);
    const picture = `<image href="${other}/inside"/><text>a picture</text>`;
    await runs.upload(run, "picture.svg", `<svg xmlns="http://www.w3.org/2000/svg">${picture}</svg>`);
  });
  afterAll(() => {
    listener.closeAllConnections();
    listener.close();
  });

  const file = () => `/api/workflows/${run}/workspace/page.html`;

  /** Sends a request like a program, which may name any origin. Returns the status. */
  async function replay(method: string, path: string, headers: Record<string, string>): Promise<number> {
    const url = new URL(path, the.server.url);
    const own = { origin: url.origin, "sec-fetch-site": "same-origin", ...headers };
    const asked = send(url, { method, headers: { ...own, "content-type": "application/json" } });
    asked.end(method === "GET" ? undefined : JSON.stringify({ name: "stolen" }));
    const [reply] = (await once(asked, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
    reply.resume();
    return reply.statusCode;
  }

  async function atOther(page: Page, path = "/"): Promise<void> {
    await page.goto(`${other}${path}`);
    await page.waitForLoadState("networkidle");
  }

  test("catches the cookie, and cannot use the cookie", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await atOther(page);
    for (const url of ["/api/picture", "/api/script"]) {
      expect(caught.find((one) => one.url === url)?.cookie).toContain("reprise-session-");
    }
    const { cookie } = caught.at(-1)!;
    const calls = [
      ["GET", "/api/you"],
      ["GET", "/api/session"],
      ["GET", "/api/workflows"],
      ["GET", file()],
      ["GET", `${file()}?preview=true`],
      ["GET", "/api/secrets"],
      ["GET", `/api/workflows/${run}/interactive-session-secret`],
      ["POST", "/api/tokens"],
      ["POST", "/api/session/codes"],
      ["POST", `/api/workflows/${run}/start`],
      ["POST", `/api/workflows/${run}/open/jupyter`],
      ["DELETE", file()],
      ["DELETE", "/api/session"],
    ] as const;
    for (const [method, path] of calls) {
      expect([path, await replay(method, path, { cookie })]).toEqual([path, 401]);
      expect([path, await replay(method, path, { cookie, "reprise-page-key": "" })]).toEqual([path, 401]);
    }
    // The page itself is still signed in, after a reload and in a second tab, and the other origin has no key.
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
    await page.goto("/runs");
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await page.reload();
    const second = await context.newPage();
    await second.goto("/account");
    await second.getByText("this one").waitFor();
    await context.close();
  });

  test("catches no cookie of a notebook, whose address it does not know", async () => {
    const { call } = client(the.server.url);
    expect(await call("POST", `workflows/${run}/open/jupyter`, "{}")).toMatchObject({ status: 200 });
    const { body } = await call("GET", `workflows/${run}/interactive-session-secret`);
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await page.goto(String(body["url"]));
    await page.waitForURL(`**/${run}/*/lab`);
    await page.getByText(`"url":"/${run}/`).waitFor();
    const { pathname, href } = new URL(page.url());
    caught.length = 0;
    for (const path of [`/${run}`, `/${run}/`, `/${run}/lab`, `/${run}/tree/lab`]) await atOther(page, path);
    expect(caught.filter(({ cookie }) => cookie.includes("reprise-notebook"))).toEqual([]);
    // The path alone withheld the cookie: the browser sends the cookie to any port for its path.
    await atOther(page, pathname);
    const { cookie } = caught.find(({ url }) => url === pathname)!;
    expect(cookie).toContain("reprise-notebook");
    expect(await replay("GET", new URL(`/${run}/lab`, href).href, { cookie })).toBe(403);
    await call("POST", `workflows/${run}/close`);
    await context.close();
  });

  test("reaches no address through the browser", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await atOther(page);
    const picture = `${the.server.url}/api/workflows/${run}/workspace/picture.svg?preview=true`;
    const reached = await page.evaluate(`(async () => {
      const ask = (init) =>
        fetch("${the.server.url}/api/tokens", { credentials: "include", ...init }).then(
          ({ status }) => status,
          () => "blocked",
        );
      const picture = new Image();
      picture.src = "${picture}";
      const shown = await picture.decode().then(() => "shown", () => "not shown");
      const headers = { "reprise-page-key": "guess" };
      return [await ask({}), await ask({ method: "POST", body: "{}" }), await ask({ headers }), shown];
    })()`);
    expect(reached).toEqual(["blocked", "blocked", "blocked", "not shown"]);
    const opened = page.waitForResponse((response) => response.url().endsWith(file()));
    await page.evaluate(`location.href = ${JSON.stringify(the.server.url + file())}`);
    expect([401, 403]).toContain((await opened).status());
    expect(await client(the.server.url).call("GET", "tokens")).toMatchObject({ status: 200 });
    await context.close();
  });

  test("signs nobody in as somebody else: by a planted cookie, or by a link with a code", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    const name = (await context.cookies()).find((one) => one.name.startsWith("reprise-session-"))!.name;
    const reply = await fetch(`${the.server.url}/api/session`, {
      method: "POST",
      headers: { origin: the.server.url, "content-type": "application/json" },
      body: JSON.stringify({ token: ADMIN_TOKEN }),
    });
    const secret = reply.headers.getSetCookie()[0]!.split(/[=;]/, 2)[1]!;
    planted = [`${name}=${secret}; Path=/api`];
    await atOther(page);
    planted = [];
    await page.goto("/runs");
    await page.getByLabel("Or paste an access token").waitFor();
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const made = await fetch(`${the.server.url}/api/session/codes`, { method: "POST", headers });
    const { path } = (await made.json()) as { path: string };
    await atOther(page);
    await page.evaluate(`location.href = ${JSON.stringify(the.server.url + path)}`);
    await page.getByText("A link has opened this page with a sign-in code.").waitFor();
    await page.getByRole("button", { name: "Sign in with this code" }).click();
    await page.waitForURL("**/runs");
    await context.close();
  });

  test("hears nothing of who looks at a file of a run", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    caught.length = 0;
    await page.goto(`/runs/${run}/files?file=picture.svg`);
    const image = page.getByRole("img", { name: "picture.svg" });
    await image.waitFor();
    const address = await image.getAttribute("src");
    await page.goto(`/runs/${run}/files?file=page.html`);
    await page.frameLocator("iframe").getByText("a page").waitFor();
    // A picture opened by address is a document, and a document may load further resources.
    await page.goto(address!);
    await page.getByText("a picture").waitFor();
    await page.waitForLoadState("networkidle");
    expect(caught).toEqual([]);
    await context.close();
  });

  test("is not what signs out: cleared storage is explained, and tabs sign in and out together", async () => {
    const { page, context } = await newVisitor(the.browser, the.server.url);
    await signIn(page, the.server.url);
    await page.goto(`/runs/${run}/files?file=page.html`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download page.html" }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    await page.evaluate("localStorage.clear()");
    await page.goto("/runs");
    await page.getByText("This browser no longer has the key of its session").waitFor();
    const second = await context.newPage();
    await signIn(second, the.server.url);
    // The second tab signs in. The waiting tab is then signed in too and returns to its page.
    await page.waitForURL("**/runs");
    await second.getByRole("button", { name: /^Account of/ }).click();
    await second.getByRole("menuitem", { name: "Sign out" }).click();
    await second.getByLabel("Or paste an access token").waitFor();
    await page.getByLabel("Or paste an access token").waitFor();
    await context.close();
  });
});
