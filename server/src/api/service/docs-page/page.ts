import { createHash } from "node:crypto";
import {
  type Document,
  type Operation,
  type Parameter,
  refusals,
  type Shared,
  successes,
} from "#api/service/docs-page/document";
import { curlOf, exampleOf } from "#api/service/docs-page/examples";
import { fieldsTable, typeOf } from "#api/service/docs-page/fields";
import { prose, table } from "#api/service/docs-page/markup";
import { STYLE } from "#api/service/docs-page/style";
import { ERROR_CODES } from "#plumbing/error-codes";
import { markup, Markup } from "#plumbing/text/markup";

/** Returns the API as a page to read: all in one answer, without scripts and without requests to other servers. */
export function docsPage(document: object, version: string): string {
  const { paths, components, info } = document as Document;
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const groups = GROUPS.map(({ tag, title }) => ({
    title,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag)),
  }));
  const contents = groups.map(
    (group) =>
      markup`<h2>${group.title}</h2>
        <ul>
          ${group.entries.map(contentsLine)}
        </ul>`,
  );
  const sections = groups.map(
    (group) =>
      markup`<h2 class="group">${group.title}</h2>
        ${group.entries.map((entry) => section(entry, components.schemas))}`,
  );
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>The API of Reprise</title>
        <style>${new Markup(STYLE)}</style>
      </head>
      <body>
        <nav aria-label="Endpoints">
          <p><a href="#top">The API of Reprise</a></p>
          ${contents}
        </nav>
        <main id="top">
          <h1>The API of Reprise</h1>
          <p>
            Version ${version}. ${prose(info.description)} The same for programs:
            <a href="/api/openapi.json">the OpenAPI document</a>.
          </p>
          ${INTRODUCTION} ${sections}
        </main>
      </body>
    </html> `.text;
}

/** Content security policy: a browser may show the page in its own style, and do nothing else. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Groups in order of use by a newcomer. */
const GROUPS = [
  { tag: "server", title: "The server" },
  { tag: "workflows", title: "Workflows" },
  { tag: "users", title: "Users" },
  { tag: "admin", title: "Administration" },
];

const INTRODUCTION = markup`<h2>Credentials</h2>
  <p>
    An access token: <code>Authorization: Bearer …</code>, or <code>?access_token=…</code> as in REANA. In a
    shell, <code>eval "$(reprise env)"</code> sets the two variables that the examples use.
  </p>
  <h2>When something is wrong</h2>
  <p>
    Every reply that is not a success is JSON, <code>{"message": "a sentence", "code": "run-live"}</code>. The
    message says what was tried, with what, and what to do. The code is for programs: it stays the same when
    the message is reworded.
  </p>
  <dl>
    ${Object.entries(ERROR_CODES).map(
      ([code, meaning]) =>
        markup`<dt><code>${code}</code></dt>
          <dd>${prose(meaning)}</dd>`,
    )}
  </dl>
  <h2>Repeated requests</h2>
  <p>
    A request that changes something may carry an <code>Idempotency-Key</code> (1 to 255 visible characters,
    new for each request). If it is sent again with the same key within a day, it is not carried out again: the
    first response is returned, with the header <code>Idempotency-Replayed: true</code>. A different request
    with the same key is refused with 409. Refusals are not stored, because they changed nothing.
  </p>`;

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function contentsLine({ path, method, operation }: Entry): Markup {
  return markup`<li>
    <a href="#${operation.operationId}" title="${operation.summary}"
      ><b class="${method}">${method}</b> ${shortened(path)}</a
    >
  </li>`;
}

/** Leaves out the common start of a path, because the differing part matters to the reader. */
function shortened(path: string): string {
  return path.replace("/api/workflows/{workflow_id_or_name}/", "…/").replace("{workflow_id_or_name}", "…");
}

function section({ path, method, operation }: Entry, shared: Shared): Markup {
  const parameters = operation.parameters ?? [];
  return markup`<section id="${operation.operationId}">
    <h3>
      <a href="#${operation.operationId}"><b class="${method}">${method}</b> ${path}</a>
    </h3>
    <p>${prose(operation.summary)}.${operation.security.length === 0 ? " No credentials are needed." : ""}</p>
    ${parameters.length > 0 ? parametersTable(parameters, shared) : ""} ${bodies(operation, shared)}
    <pre tabindex="0">${curlOf(method, path, operation, shared)}</pre>
    ${answers(operation, shared)}
    <p>Refuses with ${refusals(operation).join(", ")}.</p>
  </section> `;
}

function parametersTable(parameters: readonly Parameter[], shared: Shared): Markup {
  const rows = parameters.map(
    (parameter) =>
      markup`<tr>
        <td><code>${parameter.name}</code></td>
        <td>${parameter.in}</td>
        <td>${typeOf(parameter.schema, shared)}${parameter.required ? "" : ", optional"}</td>
        <td>${prose(parameter.description ?? parameter.schema.description ?? "")}</td>
      </tr>`,
  );
  return table(["parameter", "in", "type"], rows);
}

function bodies({ requestBody }: Operation, shared: Shared): Markup[] {
  return Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      markup`<h4>Body: ${type}</h4>
        ${fieldsTable(schema, shared)}`,
  );
}

function answers(operation: Operation, shared: Shared): Markup[] {
  return successes(operation).map(([status, { description, content = {} }]) => {
    const json = content["application/json"];
    const types = Object.keys(content).filter((type) => type !== "application/json");
    const title = markup`${status} ${description}${types.length > 0 ? `: ${types.join(", ")}` : ""}`;
    if (!json) return markup`<h4>${title}</h4>`;
    const example = JSON.stringify(json.example ?? exampleOf(json.schema, shared), null, 2);
    return markup`<details>
        <summary>${title}</summary>
        ${fieldsTable(json.schema, shared)}
        <pre tabindex="0">${example}</pre>
      </details>`;
  });
}
