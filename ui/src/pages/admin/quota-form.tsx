import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Account, type Quotas, quotasOf } from "../../api/admin-asks.ts";
import { lookAgain, setQuotas } from "../../api/changes.ts";
import { limitIn, limitText } from "../../parts/amounts.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { bytesText, duration } from "../../parts/times.ts";
import { Waiting } from "../../parts/waiting.tsx";
import { LimitField } from "./limit-field.tsx";

const RESOURCES = [
  { name: "cpu", title: "Processor time", measure: "time", example: "such as 100h", shown: duration },
  {
    name: "wall",
    title: "Wall clock of the runs",
    measure: "time",
    example: "such as 200h",
    shown: duration,
  },
  { name: "disk", title: "Disk", measure: "size", example: "such as 50GiB", shown: bytesText },
] as const;

type Texts = Readonly<Record<keyof Quotas, string>>;

interface QuotaFormProps {
  readonly user: Account;
  readonly onClose: () => void;
}

/** Form for the total quotas of one user. */
export function QuotaForm({ user, onClose }: QuotaFormProps) {
  const { data, error } = useQuery(quotasOf(user.email));
  return (
    <Dialog title={`Limits of ${user.email}`} onClose={onClose}>
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={3} />}
      {data && <Limits email={user.email} quotas={data} onClose={onClose} />}
    </Dialog>
  );
}

interface LimitsProps {
  readonly email: string;
  readonly quotas: Quotas;
  readonly onClose: () => void;
}

function Limits({ email, quotas, onClose }: LimitsProps) {
  const before = Object.fromEntries(
    RESOURCES.map(({ name, measure }) => [name, limitText(maybeLimit(quotas[name].limit), measure)]),
  ) as Texts;
  const [texts, setTexts] = useState(before);
  const save = useMutation({
    mutationFn: async () => {
      const changed = RESOURCES.filter(({ name }) => texts[name] !== before[name]);
      await setQuotas(
        email,
        changed.map(({ name, measure }) => [name, limitIn(texts[name], measure)]),
      );
      await lookAgain();
    },
    onSuccess: onClose,
  });
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <p className="text-muted">These limits hold now. Empty: what holds for everybody. “none”: no limit.</p>
      {RESOURCES.map(({ name, title, example, shown }) => (
        <LimitField
          key={name}
          label={`${title}, ${shown(quotas[name].usage)} used`}
          example={example}
          value={texts[name]}
          onChange={(text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
      <FormEnd verb="Save" work={save} onClose={onClose} />
    </form>
  );
}

/** Converts the API's -1, which means unlimited, to null. */
function maybeLimit(limit: number): number | null {
  return limit < 0 ? null : limit;
}
