import { Button } from "./button.tsx";
import { Trouble } from "./notes.tsx";

interface FormEndProps {
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly work: { readonly error: unknown; readonly isPending: boolean };
  readonly onClose: () => void;
}

/** The end of a form in a dialog: the reason of a refusal, and two buttons. */
export function FormEnd({ verb, isDangerous, work, onClose }: FormEndProps) {
  return (
    <>
      {Boolean(work.error) && <Trouble error={work.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look={isDangerous ? "danger" : "main"} disabled={work.isPending}>
          {verb}
        </Button>
      </div>
    </>
  );
}
