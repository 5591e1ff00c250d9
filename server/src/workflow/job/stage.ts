/**
 * One file or folder that is put into the workspace before a job starts. `at` and the sources are paths relative to the
 * workspace; a source may also be an absolute path in a folder that every run may read. Nothing may exist at `at`; missing folders above it are made. A source is never a link, nor behind one.
 *
 * - `link`: a symbolic link to a file or folder. Inside the workspace its text is relative, so a copied or moved workspace
 *   keeps working.
 * - `copy`: a copy that the job may change: file or folder, with permissions and times. It shares the blocks of the
 *   original if the file system can.
 * - `text`: a file with this content.
 * - `folder`: a folder. Entries below it appear together with it, at one moment.
 */
export type StageEntry =
  | { readonly at: string; readonly link: string }
  | { readonly at: string; readonly copy: string }
  | { readonly at: string; readonly text: string; readonly isExecutable?: true }
  | { readonly at: string; readonly folder: true };
