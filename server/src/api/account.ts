import { toUtcTime } from "#api/schemas";

interface AccountOf {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly disabledAtMs: number | null;
  readonly createdAtMs: number;
}

/** A user as our own administrator's endpoints show one. */
export function accountOf(user: AccountOf) {
  return {
    id_: user.id,
    email: user.email,
    admin: user.isAdmin,
    disabled: user.disabledAtMs !== null,
    created: toUtcTime(user.createdAtMs),
  };
}
