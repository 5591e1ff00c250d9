import type { Preview } from "#operations/reports/previews";
import { code, leftOut, line, section, tableOf } from "#operations/reports/page/parts";
import type { RunAccount } from "#operations/reports/run-account";
import { shortSize } from "#plumbing/text/human-size";
import { type Markup, markup } from "#plumbing/text/markup";
import type { ResultFile } from "#workflow/run/results";

const LISTED_MAX = 200;
const COLUMNS = ["file", ["size", "n"], ["SHA-256", "long"]] as const;

export function inputsSection({ inputs, definition }: RunAccount): Markup {
  if (!inputs) return section("Inputs", markup`<p>The files of this run have been removed.</p>`);
  const none = definition.specification.inputs?.files === undefined && inputs.files.length === 0;
  if (none) return section("Inputs", markup`<p>The workflow declares no input files.</p>`);
  return section(
    "Inputs",
    markup`<p class="muted">The declared inputs as they are now, and the files of the workflow itself.</p>`,
    filesTable("Input files", inputs.files),
    inputs.isCut
      ? markup`<p class="muted">The list is not complete: there are too many files, or some cannot be read.</p>`
      : "",
  );
}

export function outputsSection({ outputs, previews }: RunAccount): Markup {
  const { results, replaced, note } = outputs;
  if (!results)
    return section(
      "Outputs",
      markup`<p>No outputs are recorded: none are declared, or the run has not ended.</p>`,
    );
  const gone = new Map(
    replaced.map(({ path, by, isGone }) => [path, isGone ? `removed by ${by}` : `replaced by ${by}`]),
  );
  const shown = results.files.filter(({ path }) => previews.has(path) && !gone.has(path));
  return section(
    "Outputs",
    markup`<p class="muted">The declared outputs as the run left them.${note === undefined ? "" : ` ${note}`}</p>`,
    filesTable("Output files", results.files, gone),
    results.isCut
      ? markup`<p class="muted">The list is not complete: there are too many files, or some could not be read.</p>`
      : "",
    markup`${shown.map(({ path }) => previewFigure(path, previews.get(path)!))}`,
  );
}

function filesTable(
  caption: string,
  files: readonly ResultFile[],
  gone?: ReadonlyMap<string, string>,
): Markup {
  const rows = files.slice(0, LISTED_MAX).map(({ path, bytes, sha256 }) => {
    const name = gone?.has(path)
      ? markup`${code(path)} <span class="muted">${gone.get(path)!}</span>`
      : code(path);
    return [name, shortSize(bytes), sha256 === null ? "not computed" : code(sha256)];
  });
  return markup`${tableOf(caption, COLUMNS, rows)} ${leftOut(files.length - rows.length, "files")}`;
}

function previewFigure(path: string, preview: Preview): Markup {
  const caption = markup`<figcaption>${line(path)}</figcaption>`;
  switch (preview.kind) {
    case "picture":
      return markup`<figure>
        ${caption}<img src="data:${preview.type};base64,${preview.base64}" alt="The output ${line(path)}" />
      </figure>`;
    case "table":
      return markup`<figure>${caption}${previewTable(path, preview)}</figure>`;
    case "none":
      return markup`<figure>
        ${caption}
        <p class="muted">${preview.reason}</p>
      </figure>`;
  }
}

function previewTable(path: string, { rows, isCut }: Extract<Preview, { kind: "table" }>): Markup {
  const [titles = [], ...rest] = rows;
  const width = Math.max(...rows.map(({ length }) => length), 1);
  const filled = (row: readonly string[]) =>
    Array.from({ length: width }, (_, index) => line(row[index] ?? ""));
  const columns = filled(titles).map((title, index) => title || `column ${index + 1}`);
  const more = isCut ? markup`<p class="muted">Only the first rows and columns are shown.</p>` : "";
  return markup`${tableOf(`First rows of ${line(path)}`, columns, rest.map(filled))} ${more}`;
}
