import { expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

const REPOSITORY = "https://example.org/you/fit";

async function badge(...args: readonly string[]) {
  const cli = fakeCli({ environment: { REPRISE_SERVER: "https://runs.example.org/", REPRISE_TOKEN: "t" } });
  const code = await runCli(["badge", ...args], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("a badge in Markdown", async () => {
  expect(await badge(REPOSITORY)).toEqual({
    code: 0,
    printed: [
      "[![Launch with Reprise](https://runs.example.org/launcher-badge)]" +
        "(https://runs.example.org/launch?url=https%3A%2F%2Fexample.org%2Fyou%2Ffit)",
    ],
    errors: [],
  });
});

test("a badge in HTML", async () => {
  const { printed } = await badge(REPOSITORY, "--html", "-n", "fit");
  expect(printed).toEqual([
    '<a href="https://runs.example.org/launch?url=https%3A%2F%2Fexample.org%2Fyou%2Ffit&amp;name=fit">' +
      '<img src="https://runs.example.org/launcher-badge" alt="Launch with Reprise"></a>',
  ]);
});

test("the link carries what the launch page fills in, and nothing in it ends a link of Markdown", async () => {
  const { printed } = await badge(REPOSITORY, "--json", "-f", "a (b).yaml", "-p", "n=3", "-p", "who=a&b)");
  const { link } = JSON.parse(printed[0]!) as { link: string };
  expect(link).not.toMatch(/[()\s]/);
  expect(Object.fromEntries(new URL(link).searchParams)).toEqual({
    url: REPOSITORY,
    specification: "a (b).yaml",
    parameters: '{"n":3,"who":"a&b)"}',
  });
});

test.each(["you/fit", "javascript:alert(1)", ""])("%j is no address of a repository", async (address) => {
  expect(await badge(address)).toEqual({
    code: 1,
    printed: [],
    errors: [expect.stringContaining("is not the address of a repository. Give one such as")],
  });
});
