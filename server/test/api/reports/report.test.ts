import { writeFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { changeStatus, refusalRows, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { markupFaults } from "../../page/markup.ts";

/** Reports on runs whose jobs really ran. */
const fixture = await reuseFixture();
const { api, ada, ran, created, untilOver, restart, fileOf, step } = fixture;
afterAll(() => fixture.close());

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SECRET = "s3cr3t-of-ada&<more>";
const NASTY = `<script>alert(1)</script>"'&`;

function analysis(commands: readonly string[], outputs: readonly string[]): Specification {
  return {
    inputs: { files: ["data/in.txt"], parameters: { energy: 91, title: NASTY } },
    workflow: {
      type: "serial",
      specification: { steps: commands.map((command, n) => step(`part${n}`, command)) },
    },
    outputs: { files: outputs },
  } as Specification;
}

async function reportOn(id: string) {
  const reply = await api.inject(`/api/workflows/${id}/report?${T(ada)}`);
  expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  return reply.body;
}

/** Returns addresses that a browser would fetch by itself. */
function requestsIn(html: string): string[] {
  const sources = [...html.matchAll(/(?:src|href|srcset|poster|data|action)\s*=\s*["']([^"']*)/gi)].map(
    (match) => match[1]!,
  );
  return [...sources, ...html.matchAll(/url\(/gi)]
    .map(String)
    .filter((source) => !source.startsWith("data:image/"));
}

/** Checks that a report is a file by itself, by the rules of HTML, without active content. */
async function expectContained(html: string): Promise<void> {
  expect(await markupFaults(html)).toEqual([]);
  expect(requestsIn(html)).toEqual([]);
  expect(html).not.toMatch(/<(script|iframe|object|embed|link|base|form)\b/i);
  // A quoted value is no attribute.
  expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/i);
  expect(html).toContain("default-src 'none'");
}

describe("GET report", async () => {
  const run = await created(analysis(["true"], []));
  await runScenarios(
    api,
    await refusalRows(api, "GET", run, (address) => `/api/workflows/${address}/report`),
  );

  test("shows what ran, with parameters, checksums, previews and resources", async () => {
    const commands = [
      `printf %s ${PIXEL} | base64 -d > fit.png; printf 'x,y\\n1,"a ""b"", c"\\n' > fit.csv`,
      `echo '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>' > 'plot.svg'; echo no > fake.png`,
    ];
    const html = await reportOn(
      await ran(analysis(commands, ["fit.png", "fit.csv", "plot.svg", "fake.png"])),
    );
    await expectContained(html);
    expect(html).toContain(`src="data:image/png;base64,${PIXEL}"`);
    expect(html).toContain('src="data:image/svg+xml;base64,');
    expect(html).toContain("a &quot;b&quot;, c</td>");
    expect(html).toContain("it is not the picture that its name promises");
    // The SHA-256 of "one\n", the input.
    expect(html).toContain("2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806");
    expect(html).toContain("91</code>");
    expect(html).toContain("Graph of 2 steps: part0 finished, part1 finished");
    expect(html).toMatch(/Timeline of 2 jobs over/);
    expect(html).toContain("(processor hours × 12 W + GiB hours × 0.3725 W) × 1.67");
  });

  test("names the failure, its command and the last lines of its log", async () => {
    const html = await reportOn(
      await ran(analysis(["echo fitting; echo no data >&2; exit 3"], ["fit.png"]), "failed"),
    );
    await expectContained(html);
    expect(html).toContain("Why it failed");
    expect(html).toContain("its command exited with code 3");
    expect(html).toMatch(/Last lines<\/h3>\s*<pre[^>]*>[^<]*no data/);
  });

  test("shows texts from outside as texts", async () => {
    const name = `<img src=x onerror=alert(1)>.csv`;
    const commands = [
      `printf '%s,%s\\n1,2\\n' '<b>x</b>' '</table>' > '${name}'; : '</style><script>alert(2)</script>'`,
    ];
    const id = await ran(analysis(commands, ["*.csv"]));
    const note = { note: NASTY, tags: ["paper"] };
    const url = `/api/workflows/${id}/notes?${T(ada)}`;
    expect((await api.inject({ method: "PUT", url, payload: note })).statusCode).toBe(200);
    const html = await reportOn(id);
    await expectContained(html);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;.csv");
    expect(html).toContain("&lt;b&gt;x&lt;/b&gt;");
  });

  test("says that the outputs were replaced by a restart, and shows no picture of another run", async () => {
    const id = await ran(
      analysis([`printf %s ${PIXEL} | base64 -d > fit.png; date +%N >> fit.png`], ["fit.png"]),
    );
    await restart(id, { fresh: true });
    const html = await reportOn(id);
    expect(html).toMatch(/replaced by w\d+\.1\.1/);
    expect(html).not.toContain("data:image/png");
  });

  test("of a run that was never started, or whose files are gone, is whole as well", async () => {
    const fresh = await created(analysis(["true"], ["fit.png"]));
    await expectContained(await reportOn(fresh.id));
    const id = await ran(analysis(["echo 1 > a.csv"], ["a.csv"]));
    await changeStatus(api, ada, id, "deleted", { workspace: true });
    const html = await reportOn(id);
    await expectContained(html);
    expect(html).toContain("The files of this run have been removed.");
  });

  test("holds no secret of the owner and no password of an address", async () => {
    const url = `/api/secrets/?${T(ada)}`;
    const secret = { TOKEN: { value: Buffer.from(SECRET).toString("base64"), type: "env" } };
    expect((await api.inject({ method: "POST", url, payload: secret })).statusCode).toBe(201);
    const commands = [
      `echo '${SECRET}' | tee leak.csv; : https://ada:hunter2@example.org/x.git`,
      `echo 'failing with ${SECRET}'; exit 1`,
    ];
    const specification = analysis(commands, ["leak.csv"]);
    specification.inputs.parameters = { [SECRET]: `x${SECRET}x` };
    const leaking = await created(specification);
    await changeStatus(api, ada, leaking.id, "start");
    await untilOver(leaking.id, "failed");
    await writeFile(await fileOf(leaking.id, "leak.csv"), `${SECRET},1\n`);
    const html = await reportOn(leaking.id);
    await expectContained(html);
    expect(html).not.toContain("s3cr3t");
    expect(html).not.toContain("hunter2");
    expect(html).toContain("https://example.org/x.git");
  });
});
