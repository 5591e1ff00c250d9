/**
 * Functions that need Node: transfers between files of this machine and a workspace. `index.ts` works in a browser,
 * too.
 */
export { type Download, downloadFile } from "./download.ts";
export { type Upload, uploadFile } from "./upload.ts";
export { downloadFiles, type Transfer, type TransferredFile, uploadFiles } from "./many-files.ts";
export { inParallel } from "./in-parallel.ts";
