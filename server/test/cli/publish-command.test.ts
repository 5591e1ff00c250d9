import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

/** Publications on a server whose replies are given. */
let replies: object[] = [];
const bodies: unknown[] = [];
const server = createServer((request, response) => {
  void (async () => {
    if (request.method === "POST") bodies.push(await json(request));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(replies.length > 1 ? replies.shift() : replies[0]));
  })();
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
beforeEach(() => void bodies.splice(0));
afterAll(() => void server.close());

const REPLY = {
  workflow_id: "cdcf48b1-c2f3-4693-8230-b066e088c6ac",
  workflow_name: "fit.1",
  to: "https://zenodo.org",
  url: "https://zenodo.org/uploads/12",
  doi: "10.5281/zenodo.12",
  problem: null,
  file: null,
  citation: "Lovelace, A. (2026). The fit (fit.1) [Data set]. Zenodo. https://doi.org/10.5281/zenodo.12",
  launcher_url: null,
};

async function command(...args: readonly string[]) {
  const { port } = server.address() as AddressInfo;
  const environment = { REPRISE_SERVER: `http://127.0.0.1:${port}`, REPRISE_TOKEN: "token" };
  const cli = fakeCli({ environment });
  const code = await runCli(args, cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("waits for the server, says once why a step is repeated, and prints the draft with its DOI", async () => {
  const away = { ...REPLY, state: "sending", problem: "zenodo.org returned the status 503." };
  replies = [{ ...REPLY, state: "sending" }, away, away, { ...REPLY, state: "draft" }];
  expect(
    await command(
      "publish",
      "fit",
      "--to",
      "zenodo",
      "--creator",
      "Lovelace, Ada <0000-0002-1825-0097>",
      "--creator",
      "CERN",
    ),
  ).toEqual({
    code: 0,
    printed: [
      "fit.1 is a draft: https://zenodo.org/uploads/12",
      "DOI, reserved: https://doi.org/10.5281/zenodo.12",
      "Look at the draft. Publish it there, or type: reprise publish fit.1 --submit",
    ],
    errors: [
      "zenodo.org returned the status 503. Trying again. The server goes on if you interrupt this command.",
    ],
  });
  const creators = [{ name: "Lovelace, Ada", orcid: "0000-0002-1825-0097" }, { name: "CERN" }];
  expect(bodies).toEqual([{ to: "zenodo", creators, submit: false }]);
});

test("prints a published record with its citation", async () => {
  replies = [{ ...REPLY, state: "published", url: "https://zenodo.org/records/12" }];
  const { printed } = await command("publish", "fit", "--submit");
  expect(printed).toEqual([
    "fit.1 is published: https://zenodo.org/records/12",
    "DOI: https://doi.org/10.5281/zenodo.12",
    `Cite it as: ${REPLY.citation}`,
  ]);
});

test("fails with the words of the deposit server", async () => {
  replies = [{ ...REPLY, state: "failed", problem: "zenodo.org returned the status 400: Bad title." }];
  expect(await command("publish", "fit", "--to", "zenodo")).toMatchObject({
    code: 1,
    printed: [],
    errors: [
      expect.stringContaining(
        "fit.1 could not be published on https://zenodo.org: zenodo.org returned the status 400: Bad title.",
      ) as string,
    ],
  });
});

test("refuses an unreadable creator", async () => {
  const { code, errors } = await command(
    "publish",
    "fit",
    "--to",
    "zenodo",
    "--creator",
    "Ada <ada@example.org>",
  );
  expect([code, errors.join("\n")]).toEqual([
    2,
    expect.stringContaining("is not a creator. Write") as string,
  ]);
  expect(bodies).toEqual([]);
});

test("reprise badge prints the badge of the repository and the citation of a workflow", async () => {
  replies = [{ ...REPLY, state: "published", launcher_url: "https://example.org/you/fit" }];
  const { printed } = await command("badge", "-w", "fit");
  expect(printed).toEqual([
    expect.stringMatching(
      /^\[!\[Launch with Reprise\].*launch\?url=https%3A%2F%2Fexample\.org%2Fyou%2Ffit\)$/,
    ) as string,
    REPLY.citation,
  ]);
  replies = [{ ...REPLY, state: "none", citation: null }];
  const { code, errors } = await command("badge", "-w", "fit");
  expect([code, errors.join("\n")]).toEqual([
    1,
    expect.stringContaining("The creators of fit.1 are unknown") as string,
  ]);
  expect(await command("badge")).toMatchObject({ code: 2 });
});
