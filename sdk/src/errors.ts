/** A response that is not a success, or no response at all. The message is the server's sentence. */
export class ApiError extends Error {
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  /** The server's error code, such as `run-live`. The code is stable even if the message is reworded. */
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

/**
 * No response arrived: no server is listening there, or the connection broke on each attempt. The message has the
 * reason.
 */
export class NoAnswerError extends ApiError {
  constructor(url: string, cause: unknown) {
    super(0, `${url} could not be reached: ${reasonOf(cause)}`, { cause });
    this.name = "NoAnswerError";
  }
}

/** Makes an error from a response that is not a success. The server sends `{"message"}`; a proxy may send anything. */
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

/**
 * Returns the system's code for a missing response (`ECONNREFUSED`). Undefined in browsers, which report no
 * code.
 */
export function reasonCode(error: unknown): string | undefined {
  const { code } = innermost(error) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

function reasonOf(error: unknown): string {
  const first = innermost(error);
  return first instanceof Error ? first.message : String(first);
}

/**
 * Returns the innermost error: `fetch` reports "fetch failed" and gives the reason as the cause, possibly
 * with one error for each address.
 */
function innermost(error: unknown): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return (cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause) ?? "";
}
