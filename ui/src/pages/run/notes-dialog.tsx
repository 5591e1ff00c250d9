import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { lookAgain, setNotes } from "../../api/changes.ts";
import { notes } from "../../api/run-asks.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FIELD, Field } from "../../parts/field.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { Waiting } from "../../parts/waiting.tsx";

interface NotesDialogProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** Changes the note and the tags of a run. */
export function NotesDialog({ id, name, onClose }: NotesDialogProps) {
  const { data } = useQuery(notes(id));
  return (
    <Dialog title={`Note and tags of ${name}`} onClose={onClose}>
      {data ? (
        <NotesForm id={id} note={data.note} tags={data.tags} onClose={onClose} />
      ) : (
        <Waiting lines={3} />
      )}
    </Dialog>
  );
}

interface NotesFormProps {
  readonly id: string;
  readonly note: string;
  readonly tags: readonly string[];
  readonly onClose: () => void;
}

function NotesForm({ id, note, tags, onClose }: NotesFormProps) {
  const [text, setText] = useState(note);
  const [words, setWords] = useState(tags.join(" "));
  const save = useMutation({
    mutationFn: () =>
      setNotes(id, { note: text, tags: words.split(/[\s,#]+/).filter((word) => word !== "") }),
    async onSuccess() {
      onClose();
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field label="Note" note="Readers of the run see the note, too.">
        <textarea
          rows={4}
          maxLength={5000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className={`${FIELD} h-auto py-2`}
        />
      </Field>
      <Field
        label="Tags"
        note="Words, such as paper or calibration-3, with spaces between them. The server never deletes a run with the tag keep by itself."
      >
        <input value={words} onChange={({ target }) => setWords(target.value)} className={FIELD} />
      </Field>
      <FormEnd verb="Save" work={save} onClose={onClose} />
    </form>
  );
}
