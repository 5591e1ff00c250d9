/** Forms of HTCondor requests in a step, in REANA's words. */

/** Matches a number of cores for `htcondor_request_cpus`. */
export const CONDOR_CPUS = /^[1-9][0-9]*$/;

/** Matches an amount of memory or disk space: `2 GB`, `512M`, or a bare number. */
export const CONDOR_SIZE = /^[1-9][0-9]* *([KkMmGgTt][Bb]?)?$/;
