/**
 * The range of actions that a token allows. `read`: look at runs and their files. `runs`: also create, start,
 * stop and delete them, and change files. `everything`: also the account itself (tokens, secrets, shares,
 * groups) and, for the administrator, the server.
 */
export const TOKEN_SCOPES = ["read", "runs", "everything"] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Returns whether the scope `held` includes the scope `needed`. */
export function scopeCovers(held: TokenScope, needed: TokenScope): boolean {
  return TOKEN_SCOPES.indexOf(held) >= TOKEN_SCOPES.indexOf(needed);
}
