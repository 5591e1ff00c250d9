import { FolderUp } from "lucide-react";
import { useRef } from "react";
import { Button } from "../../parts/button.tsx";
import { chosenFiles, type DroppedFile } from "../../parts/dropped-files.ts";
import { useDropTarget } from "../../parts/use-drop-target.ts";

interface DropZoneProps {
  readonly isBusy: boolean;
  readonly onFiles: (files: readonly DroppedFile[]) => void;
}

/** Makes a field choose folders. React has no type for it. */
const FOLDERS = { webkitdirectory: "" };

/** Takes a dropped or chosen folder or files. */
export function DropZone({ isBusy, onFiles }: DropZoneProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { isOver, handlers } = useDropTarget(onFiles);
  return (
    <div
      {...handlers}
      className={`grid min-h-48 flex-1 place-items-center rounded-lg border-2 border-dashed p-6 text-center ${
        isOver ? "border-accent bg-tint" : "border-line"
      }`}
    >
      <div className="space-y-3">
        <FolderUp size={32} aria-hidden className="mx-auto text-muted" />
        <p>{isBusy ? "Uploading …" : "Drop a folder or a reana.yaml here"}</p>
        <div className="flex flex-wrap justify-center gap-2">
          <Button disabled={isBusy} onClick={() => folder.current?.click()}>
            Choose a folder
          </Button>
          <Button disabled={isBusy} onClick={() => files.current?.click()}>
            Choose a reana.yaml
          </Button>
        </div>
        <input
          ref={folder}
          type="file"
          {...FOLDERS}
          aria-label="Folder of an analysis"
          className="hidden"
          onChange={({ target }) => onFiles(chosenFiles(target))}
        />
        <input
          ref={files}
          type="file"
          multiple
          aria-label="reana.yaml and its files"
          className="hidden"
          onChange={({ target }) => onFiles(chosenFiles(target))}
        />
      </div>
    </div>
  );
}
