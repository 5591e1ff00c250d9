import { FolderUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { type DroppedFile, droppedFiles } from "../../parts/dropped-files.ts";

interface DropZoneProps {
  readonly isBusy: boolean;
  readonly onFiles: (files: readonly DroppedFile[]) => void;
}

/** Takes a folder or files that are dropped on it, or chosen. */
export function DropZone({ isBusy, onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void droppedFiles(event.dataTransfer).then(onFiles);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`grid min-h-48 flex-1 place-items-center rounded-lg border-2 border-dashed p-6 text-center ${
        isOver ? "border-accent bg-tint" : "border-line"
      }`}
    >
      <div className="space-y-3">
        <FolderUp size={32} aria-hidden className="mx-auto text-muted" />
        <p>{isBusy ? "Uploading …" : "Drop a folder or a reana.yaml here"}</p>
        <Button disabled={isBusy} onClick={() => input.current?.click()}>
          Choose a reana.yaml
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          aria-label="reana.yaml and its files"
          className="hidden"
          onChange={({ target }) =>
            onFiles([...(target.files ?? [])].map((file) => ({ path: file.name, file })))
          }
        />
      </div>
    </div>
  );
}
