import Type from "typebox";
import { endpoint } from "#api/http/route";
import { Refusal } from "#plumbing/errors";

/** Refuses to give a token. REANA's page requests one after signing in; on this server a user signs in with a token. */
export const requestTokenEndpoint = endpoint({
  method: "PUT",
  path: "/api/token",
  operation: "request-token",
  summary: "Ask for a token: refused, because whoever may ask has one",
  access: "user",
  schema: {
    response: {
      200: Type.Object({
        reana_token: Type.Object({ status: Type.String(), requested_at: Type.String() }),
      }),
    },
  },
  handle(_context, { caller }) {
    throw new Refusal(
      "conflict",
      `User ${caller.email} has already requested an access token: it came with this request. ` +
        "The administrator issues another one: reprise user token.",
    );
  },
});
