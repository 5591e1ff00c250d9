/** Default and bound of the number of jobs and asks of one run that are outstanding together. */
export const OUTSTANDING_DEFAULT = 1000;
export const OUTSTANDING_MAX = 100_000;
