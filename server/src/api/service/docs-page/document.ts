/** Parts of an OpenAPI document that the page shows. */
export interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** Empty: no credentials needed. */
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

interface Response {
  readonly description: string;
  readonly content?: Content;
}

/** Reference to a shared refusal. Each refusal is described once. */
interface Reference {
  readonly $ref: string;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
}

/** Schemas that are defined once and used in many places. */
export type Shared = Document["components"]["schemas"];

export function resolved(schema: Schema, shared: Shared): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (shared[name] ?? schema);
}

/** Returns the replies that are not refusals, by status. */
export function successes({
  responses,
}: Operation): readonly (readonly [status: string, response: Response])[] {
  return Object.entries(responses).flatMap(([status, one]) =>
    "$ref" in one ? [] : [[status, one] as const],
  );
}

/** Returns the statuses of the refusals. */
export function refusals({ responses }: Operation): readonly string[] {
  return Object.entries(responses).flatMap(([status, one]) => ("$ref" in one ? [status] : []));
}
