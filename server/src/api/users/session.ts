import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { credentialOf } from "#api/http/access/credentials";
import { HttpProblem } from "#api/http/reply/http-problem";
import { Message, toUtcTime, utcTime } from "#api/http/document/schemas";
import { isFromOwnPage, PAGE_COOKIE } from "#api/http/access/session-cookie";
import { browserName } from "#api/users/browser-name";
import { signOut } from "#api/users/sign-out";
import { issueCode, openSession } from "#operations/users/sessions";
import type { Caller } from "#operations/context";

const SessionRecord = Type.Object(
  {
    id_: Type.String({ format: "uuid", description: "UUID of the user." }),
    email: Type.String(),
    admin: Type.Boolean(),
    server_version: Type.String(),
  },
  { title: "Session" },
);

export const NewSessionRecord = Type.Object(
  {
    ...SessionRecord.properties,
    page_key: Type.String({
      description:
        "The half of the session that the page keeps, shown once. Every request with the cookie also has it, in the " +
        "header `Reprise-Page-Key`.",
    }),
  },
  { title: "NewSession" },
);

/** Returns a session in the form that the page reads. */
export function sessionRecord(user: Caller, version: string) {
  return { id_: user.id, email: user.email, admin: user.isAdmin, server_version: version };
}

export const openSessionOfBrowserEndpoint = endpoint({
  operation: "sign-in",
  summary:
    "Sign a browser in with a one-time code or an access token: sets the cookie, and returns the page key",
  access: "anyone",
  hidesBody: true,
  needsBody: true,
  refuses: [403, 413, 415],
  schema: {
    body: Type.Object({
      code: Type.Optional(Type.String({ description: "A code of `POST /api/session/codes`." })),
      token: Type.Optional(Type.String({ description: "Instead of a code: an access token." })),
    }),
    response: { 201: NewSessionRecord },
  },
  async handle(context, request, reply) {
    if (!isFromOwnPage(request)) {
      throw new HttpProblem(403, "Sign in on the page of this server: the request came from elsewhere.");
    }
    const browser = browserName(request.headers["user-agent"]);
    const { secret, pageKey, lifeMs, user } = await openSession(context, { ...request.body, browser });
    PAGE_COOKIE.set(request, reply, secret, lifeMs);
    return { ...sessionRecord(user, context.version), page_key: pageKey };
  },
});

export const getSessionOfBrowserEndpoint = endpoint({
  operation: "get-session",
  summary: "Show who is signed in",
  access: "user",
  schema: { response: { 200: SessionRecord } },
  handle: (context, { caller }) => sessionRecord(caller, context.version),
});

export const closeSessionOfBrowserEndpoint = endpoint({
  operation: "sign-out",
  summary: "Sign the browser out: ends the session and its open streams",
  access: "user",
  worksOnFullDisk: true,
  schema: { response: { 200: Message } },
  async handle(context, request, reply) {
    await signOut(context, request, reply, PAGE_COOKIE);
    return { message: "Signed out." };
  },
});

export const issueCodeEndpoint = change({
  operation: "issue-sign-in-code",
  summary: "Issue a code with which a browser signs in as the caller: once, within ten minutes",
  access: "user",
  schema: {
    response: {
      201: Type.Object({
        code: Type.String(),
        path: Type.String({ description: "Path of the page to open, with the code." }),
        expires: utcTime(),
      }),
    },
  },
  handle: (context, request) =>
    issueCode(context, { userId: request.caller.id, issuer: credentialOf(request)!.secret }),
  toWire: ({ code, expiresAtMs }) => ({
    code,
    path: `/sign-in#${code}`,
    expires: toUtcTime(expiresAtMs),
  }),
});
