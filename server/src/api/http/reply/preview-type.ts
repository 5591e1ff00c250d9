import path from "node:path";

/** Types that a browser may show in place, by file extension: pictures, web pages, PDF. */
const TYPES: Readonly<Record<string, string>> = {
  ".apng": "image/apng",
  ".avif": "image/avif",
  ".bmp": "image/bmp",
  ".gif": "image/gif",
  ".htm": "text/html; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".tif": "image/tiff",
  ".tiff": "image/tiff",
  ".webp": "image/webp",
};

/** Returns undefined for a file that can only be saved. */
export function previewType(fileName: string): string | undefined {
  return TYPES[path.posix.extname(fileName).toLowerCase()];
}
