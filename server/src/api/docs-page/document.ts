/** As much of an OpenAPI document as the page shows. */
export interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** Empty: anyone may ask. */
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

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

/** What is said once and meant in many places. */
export type Shared = Document["components"]["schemas"];

export function resolved(schema: Schema, shared: Shared): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (shared[name] ?? schema);
}

/** What REANA's own words ask for is looked at by the endpoint itself, which refuses in REANA's sentence. */
export function isNeeded({ required, description = "" }: Parameter): boolean {
  return required === true || description.startsWith("Required");
}
