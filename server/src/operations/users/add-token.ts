import type { Operations } from "#operations/context";
import { hashToken } from "#operations/users/token-shape";
import type { Connection } from "#store/database";
import { insertToken } from "#store/tokens";

/** Inserts a token for the user, in the caller's transaction. Returns false if any user has or had this token. */
export function addToken(
  context: Pick<Operations, "clock" | "random" | "tokenSeal">,
  db: Connection,
  userId: string,
  token: string,
): Promise<boolean> {
  return insertToken(db, {
    id: context.random.uuid(),
    userId,
    hash: hashToken(token),
    sealed: context.tokenSeal.seal(token),
    createdAtMs: context.clock.now(),
  });
}
