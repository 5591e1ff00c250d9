import { ADMIN_TOKEN } from "../support/real-server.ts";

/** Thrown if the server or its database was away, or went away in the middle of a request. */
export class ServerGone extends Error {}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** The cookie set by the server, if any. */
  readonly cookie: string;
}

interface Request {
  readonly token?: string;
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const DATABASE_AWAY = /"The (database is not responding|connection to the database was lost)/;

/** Sends requests to the present server, by default as the administrator. */
export class Asker {
  url = "";

  async ask(method: string, route: string, request: Request = {}): Promise<Answer> {
    const { token = ADMIN_TOKEN, query = "", body, headers = {} } = request;
    const url = `${this.url}/api/${route}?access_token=${token}${query}`;
    try {
      const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
      const text = await response.text();
      // The database is away: the same to users.
      if (DATABASE_AWAY.test(text)) throw new ServerGone(`${method} ${route}`);
      const [cookie = ""] = response.headers.getSetCookie();
      return { status: response.status, body: asRecord(text), cookie };
    } catch (cause) {
      if (cause instanceof TypeError) throw new ServerGone(`${method} ${route}`, { cause });
      throw cause;
    }
  }

  async expect(
    status: number,
    method: string,
    route: string,
    request: Request = {},
  ): Promise<Answer["body"]> {
    const answer = await this.ask(method, route, request);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

function asRecord(text: string): Record<string, unknown> {
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text };
}
