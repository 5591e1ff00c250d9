import type { ExpressionBuilder } from "kysely";
import type { Tables } from "#store/database/tables";
import { holdsAt } from "#store/sharing/shares";

/** Scope of a list of runs, by the relation between runs and the listing user. */
export type ListScope =
  /** The user's own runs, shared or not. */
  | { readonly kind: "own" }
  /** The user's own shared runs: shared with anybody, or with a single user or group. */
  | { readonly kind: "shared"; readonly withId?: string; readonly nowMs: number }
  /** The user's own runs that have an open notebook. */
  | { readonly kind: "with-notebook" }
  /** The user's own runs that are shared with nobody. */
  | { readonly kind: "unshared"; readonly nowMs: number }
  /** Runs shared with the user by all other users, or by a single user. */
  | ({ readonly kind: "others"; readonly byId?: string } & Shares)
  /** The user's own runs and the runs of others. */
  | ({ readonly kind: "readable" } & Shares);

interface Shares {
  /** The ids under which runs can be shared with the user: the user's own id and the ids of the user's groups. */
  readonly granteeIds: readonly string[];
  readonly nowMs: number;
}

/** Returns the condition for the runs of a scope. */
export function inScope(userId: string, scope: ListScope) {
  return (is: ExpressionBuilder<Tables, "runs">) => {
    const isOwn = is("runs.owner_id", "=", userId);
    switch (scope.kind) {
      case "own":
        return isOwn;
      case "with-notebook":
        return is.and([isOwn, is("runs.id", "in", is.selectFrom("notebooks").select("run_id"))]);
      case "shared":
        return is.and([isOwn, is("runs.seq", "in", sharedBy(is, userId, scope))]);
      case "unshared":
        return is.and([isOwn, is.not(is("runs.seq", "in", sharedBy(is, userId, scope)))]);
      case "others":
        return is.and([
          is("runs.seq", "in", sharedUnder(is, scope)),
          is("runs.owner_id", "!=", userId),
          ...(scope.byId === undefined ? [] : [is("runs.owner_id", "=", scope.byId)]),
        ]);
      case "readable":
        return is.or([isOwn, is("runs.seq", "in", sharedUnder(is, scope))]);
    }
  };
}

function sharedBy(
  is: ExpressionBuilder<Tables, "runs">,
  ownerId: string,
  { withId, nowMs }: { readonly withId?: string; readonly nowMs: number },
) {
  const shares = is.selectFrom("run_shares").select("run_seq").where("run_shares.owner_id", "=", ownerId);
  const wanted = withId === undefined ? shares : shares.where("grantee_id", "=", withId);
  return wanted.where(holdsAt(nowMs));
}

function sharedUnder(is: ExpressionBuilder<Tables, "runs">, { granteeIds, nowMs }: Shares) {
  return is
    .selectFrom("run_shares")
    .select("run_seq")
    .where("grantee_id", "in", [...granteeIds])
    .where(holdsAt(nowMs));
}
