/** Error that exists only in HTTP. Everything else is a `Refusal`. */
export class HttpProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "HttpProblem";
    this.status = status;
  }
}
