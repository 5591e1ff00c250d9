interface FolderPathProps {
  readonly folder: string;
  readonly onGo: (folder: string) => void;
}

/** The way from the workspace to the shown folder. Each part leads there. */
export function FolderPath({ folder, onGo }: FolderPathProps) {
  const parts = folder === "" ? [] : folder.split("/");
  return (
    <nav aria-label="Folder" className="flex flex-wrap items-center gap-1">
      <Part name="workspace" isHere={parts.length === 0} onGo={() => onGo("")} />
      {parts.map((name, index) => {
        const path = parts.slice(0, index + 1).join("/");
        return (
          <span key={path} className="flex items-center gap-1">
            <span className="text-muted">/</span>
            <Part name={name} isHere={index === parts.length - 1} onGo={() => onGo(path)} />
          </span>
        );
      })}
    </nav>
  );
}

interface PartProps {
  readonly name: string;
  readonly isHere: boolean;
  readonly onGo: () => void;
}

function Part({ name, isHere, onGo }: PartProps) {
  if (isHere) return <span className="font-medium">{name}</span>;
  return (
    <button type="button" onClick={onGo} className="text-accent hover:underline">
      {name}
    </button>
  );
}
