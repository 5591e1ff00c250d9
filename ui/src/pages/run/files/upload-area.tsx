import { useMutation } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { lookAgain } from "../../../api/changes.ts";
import { uploadFile } from "../../../api/upload.ts";
import { Button } from "../../../parts/button.tsx";
import { Trouble } from "../../../parts/notes.tsx";
import { chosenFiles, type DroppedFile } from "../../../parts/dropped-files.ts";
import { useDropTarget } from "../../../parts/use-drop-target.ts";

interface UploadAreaProps {
  readonly id: string;
  readonly folder: string;
  readonly children: ReactNode;
}

/** Uploads dropped or chosen files and folders, and shows the progress. */
export function UploadArea({ id, folder, children }: UploadAreaProps) {
  const [done, setDone] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const work = useMutation({
    async mutationFn(files: readonly DroppedFile[]) {
      setDone(0);
      const total = Math.max(
        1,
        files.reduce((sum, { file }) => sum + file.size, 0),
      );
      let sent = 0;
      for (const { path, file } of files) {
        const name = folder === "" ? path : `${folder}/${path}`;
        // Sequential: the connection is the limit, and the order stays clear.
        await uploadFile({ run: id, name, file, onProgress: (bytes) => setDone((sent + bytes) / total) });
        sent += file.size;
      }
    },
    onSettled: lookAgain,
  });
  const { isOver, handlers } = useDropTarget((files) => work.mutate(files));
  return (
    <div
      {...handlers}
      className={`rounded-lg ${isOver ? "outline-2 outline-offset-4 outline-accent outline-dashed" : ""}`}
    >
      {children}
      <div className="mt-3 flex flex-wrap items-center gap-3 text-sm text-muted">
        <input
          ref={input}
          type="file"
          multiple
          aria-label="Files to upload"
          className="hidden"
          onChange={({ target }) => work.mutate(chosenFiles(target))}
        />
        <Button disabled={work.isPending} onClick={() => input.current?.click()}>
          <Upload size={14} aria-hidden /> Upload
        </Button>
        {work.isPending ? (
          <>
            <progress aria-label="Upload" value={done} className="w-48" />
            <span className="tabular-nums">{Math.floor(done * 100)} %</span>
          </>
        ) : (
          <span>or drop files and folders here</span>
        )}
      </div>
      {work.error && (
        <div className="mt-2">
          <Trouble error={work.error} retry={() => work.mutate(work.variables)} />
        </div>
      )}
    </div>
  );
}
