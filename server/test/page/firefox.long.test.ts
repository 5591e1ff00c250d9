import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";
import { buildPage } from "./browser.ts";
import { type Firefox, hasFirefox, openFirefox } from "./firefox.ts";
import { describeUnless } from "#plumbing/needs-suite";

/** The first minute in Firefox. The other stories run in Chromium with every change. */
describeUnless(hasFirefox() ? undefined : "it needs Firefox: apt-get install firefox-esr")(
  "in Firefox",
  () => {
    let server: RealServer;
    let firefox: Firefox;
    let { folder, remove } = { folder: "", remove: async () => {} };

    beforeAll(async () => {
      ({ folder, remove } = await temporaryFolder());
      buildPage();
      [server, firefox] = await Promise.all([startRealServer(folder), openFirefox()]);
    });
    afterAll(async () => {
      await firefox?.close();
      await server?.stop();
      await remove();
    });

    test("somebody signs in, runs an example, and looks at its output, views and files", async () => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const reply = await fetch(`${server.url}/api/session/codes`, { method: "POST", headers });
      const { path: address } = (await reply.json()) as { path: string };
      await firefox.go(server.url + address);
      await firefox.sees("You have no runs yet.");
      await firefox.press("New run");
      await firefox.press("hello");
      await firefox.sees("Not started yet.");
      await firefox.press("Start");
      await firefox.sees("greeting");
      await firefox.press("Start");
      await firefox.sees("Finished: 3 jobs");
      for (const view of ["Graph", "Timeline", "Events"]) {
        await firefox.press(view);
        await firefox.sees("greet");
      }
      await firefox.press("Files");
      await firefox.press("results");
      await firefox.press("greetings.txt");
      await firefox.sees("Hello Ada");
      expect(firefox.faults).toEqual([]);
    });
  },
);
