/** A temporary fault of another server: a later attempt may succeed. */
export class PassingFault extends Error {
  override readonly name = "PassingFault";
  /** The pause from the header `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}
