/** An answer that is no success, or none at all. The message is the server's sentence. */
export class ApiError extends Error {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The server's code of the refusal, `run-live`: it stays when the message is worded anew. */
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    options?: ErrorOptions & { readonly code?: string | undefined },
  ) {
    super(message, options);
    this.code = options?.code;
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
  const { message, code } = saidIn(await response.text());
  return new ApiError(
    response.status,
    message ?? `The server answered ${response.status} ${response.statusText}`.trimEnd(),
    { code },
  );
}

function saidIn(text: string): { readonly message?: string | undefined; readonly code?: string | undefined } {
  try {
    const { message, code } = JSON.parse(text) as { message?: unknown; code?: unknown };
    return { message: textOf(message), code: textOf(code) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return {};
    throw error;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
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
