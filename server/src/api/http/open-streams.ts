import { HttpProblem } from "#api/http/reply/http-problem";
import { counted } from "#plumbing/text/counted";

/** Open streams: answers without a fixed end. They are closed with the server, and limited in number for each user. */
export class OpenStreams {
  readonly #open = new Map<AbortController, string>();
  readonly #ofUser = new Map<string, number>();
  readonly #mostPerUser: number;

  constructor(mostPerUser: number) {
    this.#mostPerUser = mostPerUser;
  }

  add(stream: AbortController, userId: string): void {
    const count = this.#ofUser.get(userId) ?? 0;
    if (count >= this.#mostPerUser) throw tooMany(count);
    this.#ofUser.set(userId, count + 1);
    this.#open.set(stream, userId);
  }

  delete(stream: AbortController): void {
    const userId = this.#open.get(stream);
    if (userId === undefined) return;
    this.#open.delete(stream);
    const left = this.#ofUser.get(userId)! - 1;
    if (left === 0) this.#ofUser.delete(userId);
    else this.#ofUser.set(userId, left);
  }

  count(): number {
    return this.#open.size;
  }

  closeAll(): void {
    for (const stream of this.#open.keys()) stream.abort();
  }
}

function tooMany(count: number): HttpProblem {
  return new HttpProblem(
    429,
    `You have ${counted(count, "open stream")} (events, logs, comparisons), and no more are allowed. Close one of them first, ` +
      "or ask the administrator for more (--max-streams-per-user).",
  );
}
