/**
 * Functions that need Node: transfers between local files and a workspace. `index.ts` also works in a
 * browser.
 */
export { type Download, downloadFile } from "./download.ts";
export { type Upload, uploadFile } from "./upload.ts";
export { downloadFiles, type Transfer, type TransferredFile, uploadFiles } from "./many-files.ts";
export { inParallel } from "./in-parallel.ts";
