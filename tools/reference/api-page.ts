import { ERROR_CODES } from "../../server/src/plumbing/error-codes.ts";

/** The parts of an OpenAPI document that the page shows. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, unknown>> }>
  >;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: {
    readonly type?: string | readonly string[];
    readonly enum?: readonly string[];
    readonly description?: string;
  };
}

const METHODS = ["get", "head", "post", "put", "patch", "delete"];

/** Returns `docs/reference/api.md`: a heading for each endpoint of the OpenAPI document. */
export function apiPage(document: object): string {
  const { paths } = document as Document;
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => method in operations).map((method) =>
      section(method.toUpperCase(), path, operations[method]!),
    ),
  );
  return `${[HEAD, ...sections, codes()].join("\n\n")}\n`;
}

function codes(): string {
  const rows = Object.entries(ERROR_CODES).map(([word, meaning]) => `| ${code(word)} | ${meaning} |`);
  return [
    "## Codes",
    "",
    "The `code` of a refusal. Others may be added.",
    "",
    "| code | |",
    "|---|---|",
    ...rows,
  ].join("\n");
}

function section(method: string, path: string, operation: Operation): string {
  const parts = [`## ${method} ${path}`, operation.summary ?? "", operation.description ?? ""];
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.name !== "access_token");
  if (parameters.length > 0) {
    parts.push(["| parameter | in | | |", "|---|---|---|---|", ...parameters.map(parameterRow)].join("\n"));
  }
  const body = Object.keys(operation.requestBody?.content ?? {});
  if (body.length > 0) parts.push(`Body: ${body.map(code).join(", ")}.`);
  parts.push(`Answers: ${answers(operation)}.`);
  return parts.filter((part) => part !== "").join("\n\n");
}

function parameterRow(parameter: Parameter): string {
  const { schema } = parameter;
  const type = [schema?.type ?? ""].flat().join(" or ");
  const words = schema?.enum ? schema.enum.map((word) => code(word)).join(", ") : type;
  const need = parameter.required ? `${words}, required` : words;
  const text = parameter.description ?? schema?.description ?? "";
  return `| \`${parameter.name}\` | ${parameter.in} | ${need} | ${inTable(text)} |`;
}

function answers(operation: Operation): string {
  return Object.entries(operation.responses ?? {})
    .map(([status, { content }]) => {
      const types = Object.keys(content ?? {}).filter((type) => type !== "application/json");
      return types.length > 0 ? `${status} (${types.map(code).join(", ")})` : status;
    })
    .join(", ");
}

/** Escapes a text for a table: a line break would end the row, and a bar the cell. */
function inTable(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|");
}

function code(word: string): string {
  return `\`${word}\``;
}

const HEAD = `# The API

Made from the OpenAPI document by \`npm run generate\`; a running server has the document, with the shape of every answer, at
\`/api/openapi.json\`, and as a page to read at \`/api/docs\`.

Credentials are an access token: \`?access_token=…\` as in REANA, or \`Authorization: Bearer …\`. Every reply that is not a
success is JSON, \`{"message": "a sentence", "code": "run-live"}\`. The message says what was tried, with what, and what to do.
The code is for programs: it stays when the message is worded anew. [The codes](#codes) are listed at the end.

A request that changes something may carry an \`Idempotency-Key\` (1 to 255 visible characters, new for each request). Sent again
with the same key within a day, it is not carried out again: the answer of the first time comes once more, with the header
\`Idempotency-Replayed: true\`. The same key with another request is 409. Refusals are not kept: they have changed nothing.`;
