import type { OutageLog } from "#plumbing/outages";

/** Creates a log that reports errors and drops all other lines. */
export function errorsOnly(onError: (error: unknown, message: string) => void): OutageLog {
  const drop = () => undefined;
  return {
    debug: drop,
    info: drop,
    infoOfOwnWords: drop,
    warn: drop,
    error: (details, message) => onError((details as { readonly err?: unknown }).err, message),
    close: async () => undefined,
    isUnderWay: () => false,
    over: drop,
  };
}
