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
  /** Null before the first sign-in. */
  signed_in_at: number | null;
}
