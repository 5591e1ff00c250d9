/** The administrator's operations on users: over HTTP if a server is running, on the data folder otherwise. */
export interface UserAdmin {
  /** Creates a token if none is given. */
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
