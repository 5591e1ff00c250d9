/** Default and maximum of the outstanding jobs and asks of one run. */
export const OUTSTANDING_DEFAULT = 1000;
export const OUTSTANDING_MAX = 100_000;
