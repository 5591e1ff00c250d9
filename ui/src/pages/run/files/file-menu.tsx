import { useMutation } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { fileAddress } from "../../../api/client.ts";
import { deleteFile, lookAgain, renameFile } from "../../../api/changes.ts";
import { Ask } from "../../../parts/ask.tsx";
import { FileLink } from "../../../parts/file-link.tsx";
import { ITEM, MENU } from "../../../parts/menu.ts";
import type { Entry } from "./folder-of.ts";

/** Menu of the actions on a file or a folder. */
export function FileMenu({ run, entry }: { readonly run: string; readonly entry: Entry }) {
  const [asked, ask] = useState<"rename" | "delete">();
  const close = () => ask(undefined);
  const onSuccess = async () => {
    close();
    await lookAgain();
  };
  const rename = useMutation({ mutationFn: (name: string) => renameFile(run, entry.path, name), onSuccess });
  const remove = useMutation({ mutationFn: () => deleteFile(run, entry.path), onSuccess });
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label={`Actions on ${entry.name}`}
          className="grid size-6 place-items-center rounded hover:bg-line"
        >
          <Ellipsis size={15} aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={MENU}>
            <DropdownMenu.Item className={ITEM} asChild>
              <FileLink address={fileAddress(run, entry.path)} download>
                {entry.isFolder ? "Download as zip" : "Download"}
              </FileLink>
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={() => ask("rename")}>
              Rename or move …
            </DropdownMenu.Item>
            <DropdownMenu.Item className={`${ITEM} text-bad`} onSelect={() => ask("delete")}>
              Delete …
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {asked === "rename" && (
        <Ask
          title={`Rename ${entry.name}`}
          label="New path"
          value={entry.path}
          verb="Rename"
          work={rename}
          onClose={close}
        />
      )}
      {asked === "delete" && (
        <Ask title={`Delete ${entry.path}?`} verb="Delete" isDangerous work={remove} onClose={close}>
          {entry.isFolder ? `All ${entry.files} files in it will be gone.` : "The file will be gone."}
        </Ask>
      )}
    </>
  );
}
