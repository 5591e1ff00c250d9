/** An answer that only HTTP has a word for; everything else is a `Refusal`. */
export class HttpProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "HttpProblem";
    this.status = status;
  }
}
