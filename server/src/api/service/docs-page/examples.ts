import {
  type Operation,
  resolved,
  type Schema,
  type Shared,
  successes,
} from "#api/service/docs-page/document";

/** Example values by name. Other values are derived from their type. */
const VALUES: Readonly<Record<string, unknown>> = {
  workflow_id_or_name: "fit.1",
  workflow_name: "fit.1",
  name: "fit.1",
  user: "ada@example.org",
  email: "ada@example.org",
  status: "start",
  file_name: "data/in.csv",
  source: "data/in.csv",
  target: "data/old.csv",
  size: 5_368_709_120,
  offset: 0,
  sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  step: "fit",
  command: "python fit.py",
};
const LINE_MAX = 90;
const UUID = "0c9d3a4e-7d2f-4b61-9d4c-5f0f4e6f1a2b";
const TIME = "2026-11-21T10:57:41";

/** Optional parameters required in practice, because the request needs at least one of several parameters. */
const ONE_OF: Readonly<Record<string, string>> = { "get-quota": "email" };

/** Returns the request as a shell sends it, after `eval "$(reprise env)"`. */
export function curlOf(method: string, path: string, operation: Operation, shared: Shared): string {
  const parameters = operation.parameters ?? [];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(valueOf(name))),
  );
  const query = parameters
    .filter((one) => one.in === "query" && (one.required || ONE_OF[operation.operationId] === one.name))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(wordOf(name, schema, shared))}`);
  const address = `"$REPRISE_SERVER${filled}${query.length > 0 ? `?${query.join("&")}` : ""}"`;
  const words = [
    `curl${method === "GET" ? (isStreamed(operation) ? " -N" : "") : ` -X ${method}`}`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $REPRISE_TOKEN"'] : []),
    address,
    ...bodyOf(operation, shared),
  ];
  const line = words.join(" ");
  return line.length <= LINE_MAX ? line : words.join(" \\\n  ");
}

function isStreamed(operation: Operation): boolean {
  return successes(operation).some(([, { content }]) => content?.["text/event-stream"] !== undefined);
}

/** Body in which a line with name and length precedes each file. */
const MANY_FILES = `--data-binary $'{"name": "data/1.txt", "bytes": 2}\\nhi'`;

function bodyOf({ operationId, requestBody }: Operation, shared: Shared): string[] {
  const content = requestBody?.content ?? {};
  if (operationId === "upload-files") return [MANY_FILES];
  if (content["application/octet-stream"]) return ["--data-binary @in.csv"];
  const json = content["application/json"];
  // Only REANA's clients send the query as a body; the URL parameters are equivalent.
  if (!json || (json.example === undefined && resolved(json.schema, shared).required === undefined))
    return [];
  return [`-d '${JSON.stringify(json.example ?? exampleOf(json.schema, shared))}'`];
}

function wordOf(name: string, schema: Schema, shared: Shared): string {
  return String(name in VALUES ? VALUES[name] : exampleOf(schema, shared, name));
}

function valueOf(name: string): unknown {
  return VALUES[name] ?? UUID;
}

/** Returns an example value of the schema, with all its fields. */
export function exampleOf(given: Schema, shared: Shared, name = ""): unknown {
  const schema = resolved(given, shared);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!, shared, name);
  const [type] = [schema.type].flat();
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, exampleOf(inner, shared, key)]),
      );
    case "array":
      return schema.items ? [exampleOf(schema.items, shared, name)] : [];
    case "integer":
    case "number":
      return typeof VALUES[name] === "number" ? VALUES[name] : (schema.minimum ?? 1);
    case "boolean":
      return true;
    case "string":
      return textOf(schema, name);
    default:
      return null;
  }
}

function textOf({ format, description = "" }: Schema, name: string): string {
  if (format === "uuid" || name === "id" || name === "id_" || name.endsWith("_ids")) return UUID;
  if (format === "date-time") return `${TIME}Z`;
  if (/(_at|created|modified|expires)$/.test(name) || description.includes("YYYY-MM-DD")) return TIME;
  return typeof VALUES[name] === "string" ? VALUES[name] : "…";
}
