import { STATUS_CODES } from "node:http";
import type { TSchema } from "typebox";
import { successStatus } from "#api/http/add-route";
import { EXAMPLES } from "#api/http/document/examples";
import { refusalReference, refusalStatuses, takesKey } from "#api/http/document/refusals";
import type { Route } from "#api/http/endpoint";

export interface Operation {
  parameters?: Parameter[];
  requestBody?: { readonly required: boolean; readonly content: Content };
  responses: Record<string, Response | { readonly $ref: string }>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  required?: boolean;
  readonly description?: string;
  readonly schema: object;
}

interface Response {
  description: string;
  content?: Content;
}

type Content = Record<string, { schema: object; example?: unknown }>;

/** Completes the generated operation with bodies, keys, refusals and replies that are not JSON. */
export function finishOperation(route: Route, operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === "query" && route.needs?.includes(parameter.name)) parameter.required = true;
  }
  if (takesKey(route)) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  const content = bodyOf(route);
  const required = route.upload ?? route.needsBody ?? false;
  if (content) operation.requestBody = { required, content };
  for (const status of route.undocumented ?? []) delete operation.responses[status];
  for (const [status, response] of Object.entries(operation.responses)) {
    if ("description" in response) finishReply(route, Number(status), response);
  }
  for (const status of refusalStatuses(route)) operation.responses[status] = refusalReference(status);
}

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A new value for each intended request. A request repeated with the same key within a day is carried out once.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

/**
 * Returns the documented body. Bodies of GET are left out: only REANA's clients send them, and the query does the same.
 */
function bodyOf({ operation, method, schema, upload, form, documentedBody }: Route): Content | undefined {
  if (method === "GET") return undefined;
  const json = documentedBody ?? schema.body;
  if (!upload && !json && !form) return undefined;
  return {
    ...(upload && { "application/octet-stream": { schema: { type: "string", format: "binary" } } }),
    ...(json && {
      "application/json": { schema: plain(json), ...exampleOf(EXAMPLES[operation]?.body) },
    }),
    ...(form && { "multipart/form-data": { schema: plain(form) } }),
  };
}

/** Statuses of replies without content. */
const EMPTY = [204, 304];

function finishReply(route: Route, status: number, response: Response): void {
  if (response.description === "Default Response") response.description = STATUS_CODES[status] ?? "Success";
  if (EMPTY.includes(status)) delete response.content;
  else if (route.produces) {
    const content = Object.values(response.content ?? {})[0] ?? { schema: {} };
    response.content = Object.fromEntries(route.produces.map((type) => [type, content]));
  }
  const json = response.content?.["application/json"];
  if (json && status === successStatus(route))
    Object.assign(json, exampleOf(EXAMPLES[route.operation]?.reply));
  if (json && route.streamed && status === successStatus(route))
    json.schema = { anyOf: [json.schema, plain(route.streamed)] };
}

function exampleOf(example: unknown): { readonly example?: unknown } {
  return example === undefined ? {} : { example };
}

/** Removes TypeBox's internal properties. */
function plain(schema: TSchema): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}
