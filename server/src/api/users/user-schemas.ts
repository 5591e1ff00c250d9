import Type from "typebox";
import { utcTime } from "#api/http/document/schemas";

/** User as REANA shows one to the administrator. */
export const User = Type.Object(
  {
    id_: Type.String({ description: "UUID of the user" }),
    email: Type.String(),
    access_token: Type.String({ description: "The user's first active token; empty if all were revoked" }),
  },
  { title: "User", description: "A user with its token" },
);

/** User without secrets. */
export const Account = Type.Object(
  {
    id_: Type.String({ description: "UUID of the user" }),
    email: Type.String(),
    admin: Type.Boolean(),
    disabled: Type.Boolean(),
    created: utcTime(),
  },
  { title: "Account", description: "A user without tokens" },
);

/** Value of `{user}` in a path. */
export const UserParams = Type.Object({
  user: Type.String({ description: "UUID or e-mail address of the user" }),
});
