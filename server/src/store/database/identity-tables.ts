import type { TokenScope } from "#workflow/people/token-scope";

/** A person at a provider of sign-in, and the account of this person. */
export interface IdentitiesTable {
  issuer: string;
  /** The provider's permanent name of the person. */
  subject: string;
  user_id: string;
  /** The name in the settings at the last sign-in. */
  provider: string;
  /** The verified address at the last sign-in. */
  email: string | null;
  /** 1 if a claim made the user an administrator, else 0. */
  made_admin: number;
  linked_at: number;
  /** Set while the person asks to open an account that existed before. */
  asked_at: number | null;
  /** The refresh token of the provider, encrypted with the server's key. Null if people are not checked again. */
  sealed: string | null;
  /** Time of the last check that the person is still there. */
  checked_at: number | null;
  /** Null before the first sign-in. */
  signed_in_at: number | null;
}

/** Proofs of the sender of a request: tokens, sessions of browsers, and codes. */
export interface TokensTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token in hex. Requests look up the token by this hash. */
  hash: string;
  /** `token`, `session` (a signed-in browser) or `code` (opens one session). */
  kind: string;
  /** Name given by the user. */
  name: string | null;
  /**
   * The token itself, encrypted with the server's key, because the administrator's list has to show it.
   * Others: null.
   */
  sealed: string | null;
  scope: TokenScope;
  created_at: number;
  /** Time of expiry, exclusive. Null if the token never expires. */
  expires_at: number | null;
  /** Set for sessions that a provider opened: the person, and the session at the provider if it named one. */
  issuer: string | null;
  subject: string | null;
  provider_session: string | null;
  /** Latest end of tokens, codes and sessions created with this token. Null if unlimited. */
  issues_until: number | null;
  /** SHA-256 in hex of the key that the page of a session keeps. Null for tokens and codes. */
  page_key_hash: string | null;
  revoked_at: number | null;
}
