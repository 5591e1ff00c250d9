import type { Language } from "#workflow/language";

/** A `reana.yaml` as it was given. Unknown keys are kept, because the client gets the document back. */
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

/** A fault that REANA's schema would refuse or note, but that does not prevent the workflow's creation. */
export interface SpecificationWarning {
  readonly code: string;
  /** Place in the document: `workflow.specification.steps.0`. */
  readonly path: string;
  readonly message: string;
}

/** The warning about a workflow without `inputs`, in REANA's words. */
export const NO_INPUTS = 'Workflow "inputs" are missing in the REANA specification.';

/** The last warning if only parts that REANA wants are left out of a long list. */
export const MORE_WISHES = "More parts are missing that REANA wants in every specification.";

/** Warnings, in REANA's words, about parts that REANA wants in every specification and a run here does without. */
const WANTED_BY_REANA = new Set(["'environment' is a required property", NO_INPUTS, MORE_WISHES]);

export function isWishOfReana({ message }: { readonly message: string }): boolean {
  return WANTED_BY_REANA.has(message);
}

/** Returns the warnings that matter to a run here. `reprise validate` also shows the wishes of REANA. */
export function withoutWishesOfReana<Warning extends { readonly message: string }>(
  warnings: readonly Warning[],
): Warning[] {
  return warnings.filter((warning) => !isWishOfReana(warning));
}

/** Returns the warnings without a sentence already in an error, so that a report says each sentence once. */
export function withoutSaid(
  warnings: readonly SpecificationWarning[],
  errors: readonly { readonly message: string }[],
): SpecificationWarning[] {
  const said = new Set(errors.map(({ message }) => message));
  return warnings.filter(({ message }) => !said.has(message));
}
