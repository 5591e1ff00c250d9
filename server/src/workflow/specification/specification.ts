import type { Language } from "#workflow/language";

/** A `reana.yaml` as it was given: unknown keys are kept, for they come back to the client that sent them. */
export interface Specification {
  readonly workflow: {
    readonly type: Language;
    readonly file?: string;
    readonly specification?: unknown;
    readonly [key: string]: unknown;
  };
  readonly inputs?: {
    readonly files?: readonly string[];
    readonly directories?: readonly string[];
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly options?: Readonly<Record<string, unknown>>;
    readonly [key: string]: unknown;
  };
  readonly outputs?: { readonly files?: readonly string[]; readonly directories?: readonly string[] };
  readonly [key: string]: unknown;
}

/** Something that REANA's schema would refuse or note, and that does not keep the workflow from being created. */
export interface SpecificationWarning {
  readonly code: string;
  /** Where in the document: `workflow.specification.steps.0`. */
  readonly path: string;
  readonly message: string;
}
