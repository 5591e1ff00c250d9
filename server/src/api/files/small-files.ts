/** Maximum size of a file that is transferred with others, in memory. A larger file has a request of its own. */
export const SMALL_FILE_MAX_BYTES = 1 << 20;
/** Maximum number of files in one answer. */
export const SMALL_FILES_MAX = 200;
