/** A fault outside of this server that may end by itself, so that another attempt makes sense. */
export class PassingFault extends Error {
  override readonly name = "PassingFault";
  /** The pause that the other side asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}
