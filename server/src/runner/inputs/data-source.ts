import type { RemoteInput } from "#workflow/specification/remote-inputs";

/** Reads data from addresses. The room `sources` implements it. */
export interface InputSource {
  /**
   * Asks an address. Throws a `PassingFault` if another attempt may succeed, and a `Refusal` with the words of the
   * other side if not.
   */
  ask(question: InputQuestion): Promise<InputAnswer>;
}

export interface InputQuestion {
  readonly input: RemoteInput;
  readonly secret: Buffer | undefined;
  /** The validator of the known content, which need not be sent again. */
  readonly knownAs?: string | undefined;
  /** The stored beginning of the content. */
  readonly from?: { readonly bytes: number; readonly validator: string } | undefined;
  readonly signal: AbortSignal;
}

export type InputAnswer =
  | { readonly kind: "unchanged" }
  /** The part is not of the present content. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "content";
      readonly from: number;
      readonly bytes: number | undefined;
      readonly validator: string | undefined;
      readonly sha256: string | undefined;
      readonly chunks: AsyncIterable<Uint8Array>;
    };
