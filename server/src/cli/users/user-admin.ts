/** The administrator's operations on users: over HTTP if a server is running, on the data folder otherwise. */
export interface UserAdmin {
  /** Creates a token if none is given. */
  add(email: string, token?: string): Promise<UserWithToken>;
  list(): Promise<readonly KnownUser[]>;
  /** Returns the first active token of each user that has no limits, by the user's id. */
  tokens(): Promise<ReadonlyMap<string, string>>;
  /** `user` is an e-mail address or an id. */
  issueToken(user: string, options: { readonly revokeOld: boolean }): Promise<UserWithToken>;
  disable(user: string): Promise<KnownUser>;
  enable(user: string): Promise<KnownUser>;
  /** Lets a provider open the account of a user, or refuses it. */
  answerProvider(user: string, isAdmitted: boolean): Promise<KnownUser>;
  setAdmin(user: string, isAdmin: boolean): Promise<KnownUser>;
  remove(
    user: string,
    options: { readonly withData: boolean; readonly stopsRuns: boolean },
  ): Promise<RemovedUser>;
  close(): Promise<void>;
}

export interface KnownUser {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly isDisabled: boolean;
  /** True if the user, disabled, waits for the consent of an administrator. */
  readonly isWaiting: boolean;
  /** Name of the provider that asks to open the account. */
  readonly askingProvider: string | undefined;
}

export interface RemovedUser {
  readonly id: string;
  readonly email: string;
  /** Number of runs that are kept, or will be deleted. */
  readonly runs: number;
  /** Number of live runs that are being stopped. */
  readonly stopped: number;
}

export interface UserWithToken {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}
