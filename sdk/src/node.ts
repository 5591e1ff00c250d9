/** What only Node can do: files of this machine, to a workspace and back. `index.ts` works in a browser, too. */
export { type Download, downloadFile } from "./download.ts";
export { type Upload, uploadFile } from "./upload.ts";
export { downloadFiles, type Transfer, type TransferredFile, uploadFiles } from "./many-files.ts";
export { inParallel } from "./in-parallel.ts";
