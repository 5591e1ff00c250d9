import { toUtcTime } from "#api/http/schemas";

interface AccountOf {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly disabledAtMs: number | null;
  readonly createdAtMs: number;
}

/** Returns a user in the form that the endpoints for the administrator show. */
export function accountOf(user: AccountOf) {
  return {
    id_: user.id,
    email: user.email,
    admin: user.isAdmin,
    disabled: user.disabledAtMs !== null,
    created: toUtcTime(user.createdAtMs),
  };
}
