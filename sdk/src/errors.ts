/** An answer that is no success, or none at all. The message is the server's sentence. */
export class ApiError extends Error {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ApiError";
    this.status = status;
  }
}

/** No answer came: nobody listens there, or the connection broke each time. The reason is in the message. */
export class NoAnswerError extends ApiError {
  constructor(url: string, cause: unknown) {
    super(0, `${url} could not be reached: ${reasonOf(cause)}`, { cause });
    this.name = "NoAnswerError";
  }
}

/** What an answer that is no success says. Our server says `{"message"}`; what stands between may say anything. */
export async function errorOf(response: Response): Promise<ApiError> {
  const said = sentenceIn(await response.text());
  return new ApiError(
    response.status,
    said ?? `The server answered ${response.status} ${response.statusText}`.trimEnd(),
  );
}

function sentenceIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The system's word for why there was no answer (`ECONNREFUSED`), where there is one: browsers tell none. */
export function reasonCode(error: unknown): string | undefined {
  const { code } = innermost(error) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

function reasonOf(error: unknown): string {
  const first = innermost(error);
  return first instanceof Error ? first.message : String(first);
}

/** `fetch` says "fetch failed"; the reason stands in the cause, which may itself hold one for each address. */
function innermost(error: unknown): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return (cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause) ?? "";
}
