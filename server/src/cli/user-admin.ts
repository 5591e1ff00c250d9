/** What an administrator does with users: over HTTP beside a live server, or on the data folder when there is none. */
export interface UserAdmin {
  /** Without a token one is made. */
  add(email: string, token?: string): Promise<UserWithToken>;
  list(): Promise<readonly KnownUser[]>;
  /** `user` is an e-mail address or an id. */
  issueToken(user: string, options: { readonly revokeOld: boolean }): Promise<UserWithToken>;
  disable(user: string): Promise<KnownUser>;
  enable(user: string): Promise<KnownUser>;
  close(): Promise<void>;
}

export interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly isDisabled: boolean;
}

export interface UserWithToken {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}
