import {
  environmentSection,
  failureSection,
  jobsSection,
  parametersSection,
  resourcesSection,
  runSection,
  stepsSection,
} from "#operations/reports/page/facts-sections";
import { inputsSection, outputsSection } from "#operations/reports/page/files";
import { graphDrawing } from "#operations/reports/page/graph-drawing";
import { atTime, line, section } from "#operations/reports/page/parts";
import { STYLE } from "#operations/reports/page/style";
import { maybeTimeline } from "#operations/reports/page/timeline";
import type { RunAccount } from "#operations/reports/run-account";
import { Markup, markup } from "#plumbing/text/markup";

/** The page may show its own style and pictures that lie in it. It runs no script and sends no request. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** Returns a report as one HTML file that needs no other file, no script and no network. */
export function reportPage(account: RunAccount, version: string): string {
  const { name, graph, totals, madeAtMs } = account;
  const timeline = maybeTimeline(totals, madeAtMs);
  return markup`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <title>Report on ${line(name)}</title>
    <style>${new Markup(STYLE)}</style>
  </head>
  <body>
    <main>
      <h1>Report on ${line(name)}</h1>
      <p class="muted">Made by Reprise ${version} at ${atTime(madeAtMs)}. All times are UTC.</p>
      ${runSection(account)} ${failureSection(account)}
      ${graph && graph.nodes.length > 0 ? section("Graph", graphDrawing(graph)) : ""}
      ${timeline ? section("Timeline", timeline) : ""}
      ${parametersSection(account)} ${environmentSection(account, version)} ${inputsSection(account)}
      ${outputsSection(account)} ${resourcesSection(account)}
      ${totals.steps.length > 0 ? stepsSection(account) : ""} ${jobsSection(account)}
      <footer>This file shows all that it needs by itself: it sends no request and runs no script.</footer>
    </main>
  </body>
</html>
`.text;
}
