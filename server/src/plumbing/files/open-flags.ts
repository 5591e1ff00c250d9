import { constants } from "node:fs";

/**
 * Linux's flag that opens a path as a mere location, without any right to read it. Node does not name the
 * flag.
 */
export const O_PATH = 0o10_000_000;
/** Opens a folder as a mere location, and no link in its place. */
export const FOLDER_LOCATION = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
