import { codeOf, messageOf, Refusal } from "#plumbing/errors";
import { ProviderAway } from "#sources/openid-fetch";

/** Makes a refusal from the title of a provider and an error that came from there. */
type Refuse = (title: string, cause: unknown) => Refusal;

interface Explained {
  readonly title: string;
  /** Records the details of a failure, which are kept from the person. */
  readonly note: (reasons: readonly string[]) => void;
  readonly refuse?: Refuse;
}

/** Tells the person in a sentence what failed, and the log the details. */
export async function explaining<Result>(
  { title, note, refuse = notAccepted }: Explained,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    note(reasonsOf(error));
    throw isAway(error) ? away(title, error) : refuse(title, error);
  }
}

/** Returns the messages of an error and its causes, and no other part: a part may hold a token. */
function reasonsOf(error: unknown): readonly string[] {
  const reason = [codeOf(error), messageOf(error)].filter((one) => one !== undefined).join(": ");
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? [reason, ...reasonsOf(cause)] : [reason];
}

function away(title: string, cause: unknown): Refusal {
  return new Refusal(
    "unavailable",
    `${title} does not respond, so it can sign nobody in now. Browsers and programs that are signed in stay signed in. ` +
      "Try again in a few minutes.",
    { cause },
  );
}

function notAccepted(title: string, cause: unknown): Refusal {
  const why = maybeReason(cause);
  return new Refusal(
    "forbidden",
    `${title} did not sign you in${why === undefined ? ": its answer was not accepted" : ` (${why})`}. ` +
      "Begin again on the sign-in page. If it fails again, ask the server's administrator: the log has the details.",
    { cause },
  );
}

export function noLogout(title: string, cause: unknown): Refusal {
  return new Refusal(
    "forbidden",
    `The logout token of ${title} was not accepted, so nobody was signed out. The log of this server has the details.`,
    { cause },
  );
}

/** Returns the provider's own word for a refusal, such as `access_denied`. */
export function maybeReason(error: unknown): string | undefined {
  const word = (error as { readonly error?: unknown } | null)?.error;
  return typeof word === "string" && /^[a-z_]{1,40}$/.test(word) ? word : undefined;
}

function isAway(error: unknown): boolean {
  if (error instanceof ProviderAway) return true;
  const { name, cause } = (error ?? {}) as { readonly name?: unknown; readonly cause?: unknown };
  return name === "TimeoutError" || (cause !== undefined && isAway(cause));
}
