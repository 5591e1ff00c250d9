/**
 * A file or folder to put into the workspace before a job starts. `at` and the sources are paths relative to the
 * workspace; a source may also be an absolute path in a folder that every run may read. The path `at` must not exist;
 * missing parent folders are made. A source is never a link, nor behind a link.
 *
 * - `link`: a symbolic link to a file or folder. Inside the workspace its text is relative, so a copied or moved workspace
 *   keeps working.
 * - `copy`: a writable copy of a file or folder, with permissions and times. The copy shares the blocks of the original
 *   if the file system can.
 * - `text`: a file with the given content.
 * - `folder`: a folder. The folder and its entries appear together, at one moment.
 */
export type StageEntry =
  | { readonly at: string; readonly link: string }
  | { readonly at: string; readonly copy: string }
  | { readonly at: string; readonly text: string; readonly isExecutable?: true }
  | { readonly at: string; readonly folder: true };
