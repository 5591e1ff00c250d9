import { type DragEvent, useState } from "react";
import { type DroppedFile, droppedFiles } from "./dropped-files.ts";

/** Makes an element take dropped files and folders. `isOver` is true while something is dragged over it. */
export function useDropTarget(onFiles: (files: readonly DroppedFile[]) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        event.preventDefault();
        setOver(false);
        void droppedFiles(event.dataTransfer).then(onFiles);
      },
    },
  };
}
