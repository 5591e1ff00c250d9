/** The answers that go on until something ends them: they end with the server. */
export class OpenStreams {
  readonly #open = new Set<AbortController>();

  add(stream: AbortController): void {
    this.#open.add(stream);
  }

  delete(stream: AbortController): void {
    this.#open.delete(stream);
  }

  closeAll(): void {
    for (const stream of this.#open) stream.abort();
  }
}
