/** Reads a streamed response piece by piece. */
export interface Follower {
  readonly status: number;
  readonly headers: Headers;
  /** Returns the text received so far. */
  text(): string;
  /** Resolves with the kind of ending: complete or broken off. */
  readonly ended: Promise<"whole" | "broken">;
  leave(): void;
}

export async function follow(url: string, headers: Record<string, string> = {}): Promise<Follower> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const pieces: Uint8Array[] = [];
  const read = async () => {
    try {
      for await (const piece of response.body ?? []) pieces.push(piece);
      return "whole" as const;
    } catch {
      return "broken" as const;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    text: () => Buffer.concat(pieces).toString("utf8"),
    ended: read(),
    leave: () => leaving.abort(),
  };
}
