import type { OutageLog } from "#plumbing/outages";

/** Creates a log that reports errors, and optionally warnings, and drops all other lines. */
export function errorsOnly(
  onError: (error: unknown, message: string) => void,
  onWarning: (message: string) => void = () => undefined,
): OutageLog {
  const drop = () => undefined;
  return {
    debug: drop,
    info: drop,
    infoOfOwnWords: drop,
    warn: (_details, message) => onWarning(message),
    error: (details, message) => onError((details as { readonly err?: unknown }).err, message),
    reopen: drop,
    close: async () => undefined,
    isUnderWay: () => false,
    over: drop,
  };
}
