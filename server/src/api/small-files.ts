/** Many at once go through memory; a larger file goes by itself. */
export const SMALL_FILE_MAX_BYTES = 1 << 20;
/** In one answer. */
export const SMALL_FILES_MAX = 200;
