/** A server-sent event; `id` and `event` as they were sent. */
export interface SentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the complete messages of a stream, without comments and fields that form no message. */
export function sentEvents(text: string): SentEvent[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = fields.get("data");
      if (data === undefined) return [];
      const id = fields.get("id");
      return [
        {
          ...(id !== undefined && { id }),
          event: fields.get("event")!,
          data: JSON.parse(data) as SentEvent["data"],
        },
      ];
    });
}
