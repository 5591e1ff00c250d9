import Type from "typebox";
import { endpoint } from "#api/http/route";

/** Settings that REANA's page requests before a user is signed in. */
export const getConfigEndpoint = endpoint({
  method: "GET",
  path: "/api/config",
  operation: "get-config",
  summary: "How a page is to be set up for this server",
  access: "anyone",
  schema: {
    response: {
      200: Type.Object({
        announcement: Type.String(),
        hide_signup: Type.Boolean({ description: "Users are made by the administrator." }),
        local_users: Type.Boolean({ description: "Whether one signs in by a password." }),
        sso: Type.Boolean(),
        polling_secs: Type.Integer({ description: "How often a page may ask again." }),
      }),
    },
  },
  handle: () => ({ announcement: "", hide_signup: true, local_users: false, sso: false, polling_secs: 15 }),
});
