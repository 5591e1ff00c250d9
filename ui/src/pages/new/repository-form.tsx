import { type FormEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";

interface RepositoryFormProps {
  readonly isBusy: boolean;
  readonly onSubmit: (url: string) => void;
}

export function RepositoryForm({ isBusy, onSubmit }: RepositoryFormProps) {
  const [url, setUrl] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(url.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2">
      <input
        type="url"
        required
        aria-label="Address of a Git repository"
        placeholder="https://github.com/…"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        className="h-8 min-w-0 flex-1 basis-44 rounded-md border border-line bg-canvas px-3 placeholder:text-muted"
      />
      <Button type="submit" look="main" disabled={isBusy}>
        {isBusy ? "Fetching …" : "Fetch and start"}
      </Button>
    </form>
  );
}
