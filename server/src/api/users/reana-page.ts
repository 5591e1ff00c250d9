import Type, { type TObject } from "typebox";
import { isFromOwnPage, keepsCookiesFromJobs, REANA_PAGE_COOKIE } from "#api/http/access/session-cookie";
import { Message } from "#api/http/document/schemas";
import { type ApiContext, endpoint } from "#api/http/endpoint";
import { browserName } from "#api/users/browser-name";
import { signOut } from "#api/users/sign-out";
import { openCookieSession } from "#operations/users/sessions";
import { Refusal } from "#plumbing/errors";

/** The sign-in of REANA's web page, which has a form for an e-mail address and a password. */
export const loginEndpoint = endpoint({
  operation: "login",
  summary:
    "Sign REANA's web page in with an e-mail address and an access token: sets a cookie, if `--reana-ui` is on",
  access: "anyone",
  hidesBody: true,
  needsBody: true,
  refuses: [403, 413, 415],
  schema: {
    body: Type.Object({
      email: Type.String(),
      password: Type.String({ description: "An access token of the user with this address." }),
    }),
    response: { 200: Message },
  },
  async handle(context, request, reply) {
    const isSafe = keepsCookiesFromJobs(request);
    refuseLogin(context, { isSafe, isFromPage: isFromOwnPage(request) });
    if (!request.body) {
      throw new Refusal("malformed", "Nobody was signed in: send JSON with `email` and `password`.");
    }
    const browser = `REANA's page, ${browserName(request.headers["user-agent"])}`;
    const { secret, lifeMs } = await openCookieSession(context, { ...request.body, browser });
    REANA_PAGE_COOKIE.set(request, reply, secret, lifeMs);
    return { message: "Signed in." };
  },
});

interface Origin {
  readonly isSafe: boolean;
  readonly isFromPage: boolean;
}

function refuseLogin({ isForReanaPage }: ApiContext, { isSafe, isFromPage }: Origin): void {
  if (!isForReanaPage) {
    throw new Refusal(
      "forbidden",
      "REANA's web page cannot sign users in here. The administrator can start the server with --reana-ui. " +
        "`reprise login` signs you in on the page of this server.",
    );
  }
  if (!isSafe) {
    throw new Refusal(
      "forbidden",
      "REANA's web page signs users in only over HTTPS and by the name of the host, which is not localhost: jobs could " +
        "read its cookie. A proxy passes on `Host`, and sets `X-Forwarded-Proto: https`.",
    );
  }
  if (!isFromPage) {
    throw new Refusal("forbidden", "Sign in on the page of this server: the request came from elsewhere.");
  }
}

export const logoutEndpoint = endpoint({
  operation: "logout",
  summary: "Sign REANA's web page out: ends the session and its open streams",
  access: "user",
  scope: "read",
  worksOnFullDisk: true,
  schema: { response: { 200: Message } },
  async handle(context, request, reply) {
    await signOut(context, request, reply, REANA_PAGE_COOKIE);
    return { message: "User logged out." };
  },
});

const NO_REGISTRATION =
  "Nobody can register on this server: the administrator adds users. Ask the administrator for an account.";

/** Returns an endpoint of REANA's web page that the server does not offer. */
function absent(operation: string, summary: string, message: string, params?: TObject) {
  return endpoint({
    operation,
    summary,
    access: "anyone",
    changesNothing: true,
    refuses: [501],
    schema: { ...(params && { params }), response: { 200: Message } },
    handle(): never {
      throw new Refusal("not-implemented", message);
    },
  });
}

export const registerEndpoint = absent(
  "register",
  "Register: refused, because the administrator adds users",
  NO_REGISTRATION,
);

export const confirmEmailEndpoint = absent(
  "confirm-email",
  "Confirm an e-mail address: refused, because the administrator adds users",
  "No e-mail address needs a confirmation on this server: the administrator adds users. Sign in with your access token.",
);

export const oauthLoginEndpoint = absent(
  "oauth-login",
  "Sign in by another provider: refused, because there is none",
  "This server has no other provider of sign-in. Sign in with your e-mail address and your access token.",
  Type.Object({ provider: Type.String() }),
);
