import Type, { type Static } from "typebox";
import { TOKEN_SCOPES } from "#workflow/people/token-scope";
import { nullable, oneOf, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import type { NamedToken } from "#operations/users/named-token";

/** User in REANA's form for the administrator. */
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
    waiting: Type.Boolean({
      description:
        "Disabled, and waits for the consent of an administrator. Enabling the user gives the consent.",
    }),
    asking_provider: nullable(
      Type.String({ description: "Name of a provider of which a person asks to open the account." }),
    ),
    created: utcTime(),
  },
  { title: "Account", description: "A user without tokens" },
);

/** Value of `{user}` in a path. */
export const UserParams = Type.Object({
  user: Type.String({ description: "UUID or e-mail address of the user" }),
});

export const Scope = oneOf(TOKEN_SCOPES, {
  title: "TokenScope",
  description:
    "`read`: look at runs and their files. `runs`: also create, start, stop and delete runs, and change files. " +
    "`everything`: also tokens, secrets, shares and groups and, for the administrator, the server.",
});

export const TokenName = Type.String({ minLength: 1, maxLength: 100 });

/** Optional limits of a new token. */
export const LIMITS = {
  scope: Type.Optional(Scope),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: "Time of expiry. Absent if the token never expires.",
    }),
  ),
};

/** A newly issued token. The token is shown only once. */
export const IssuedToken = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  token: Type.String({ description: "The new token" }),
  scope: Scope,
  expires: nullable(utcTime()),
});

export function issuedToken({ expiresAtMs, ...issued }: NamedToken): Static<typeof IssuedToken> {
  return { ...issued, expires: utcTimeOrNull(expiresAtMs) };
}
