import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { groups, type Policy } from "../../api/admin-asks.ts";
import { lookAgain, setPolicy } from "../../api/changes.ts";
import { limitIn, limitText } from "../../parts/amounts.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, FIELD } from "../../parts/field.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { LimitField } from "./limit-field.tsx";

const EVERYBODY = "everybody";

interface PolicyFormProps {
  /** If absent, the policy is new. */
  readonly policy?: Policy;
  readonly onClose: () => void;
}

/** Asks what everybody, or each member of a group, may use. */
export function PolicyForm({ policy, onClose }: PolicyFormProps) {
  const [group, setGroup] = useState(policy?.group ?? EVERYBODY);
  const [cpu, setCpu] = useState(limitText(policy?.cpu_ms, "time"));
  const [wall, setWall] = useState(limitText(policy?.wall_ms, "time"));
  const [disk, setDisk] = useState(limitText(policy?.disk_bytes, "size"));
  const [runs, setRuns] = useState(limitText(policy?.max_runs, "number"));
  const [images, setImages] = useState(policy?.images?.join("\n") ?? "");
  const save = useMutation({
    mutationFn: async () => {
      await setPolicy(group, {
        cpu_ms: limitIn(cpu, "time"),
        wall_ms: limitIn(wall, "time"),
        disk_bytes: limitIn(disk, "size"),
        max_runs: limitIn(runs, "number"),
        images: images.trim() === "" ? null : images.trim().split(/\s+/),
      });
      await lookAgain();
    },
    onSuccess: onClose,
  });
  return (
    <Dialog title={policy ? `Policy of ${policy.group}` : "Add a policy"} onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {!policy && <GroupChoice group={group} onChange={setGroup} />}
        <LimitField label="Processor time of a user" example="such as 100h" value={cpu} onChange={setCpu} />
        <LimitField label="Wall clock of a user" example="such as 200h" value={wall} onChange={setWall} />
        <LimitField label="Disk of a user" example="such as 50GiB" value={disk} onChange={setDisk} />
        <LimitField label="Runs active at once" example="such as 20" value={runs} onChange={setRuns} />
        <Field
          label="Images"
          note="A pattern in each line, such as docker.io/rootproject/*. Empty: all that the server allows."
        >
          <textarea
            rows={3}
            value={images}
            onChange={(event) => setImages(event.target.value)}
            className={`${FIELD} h-auto py-2 font-mono text-sm`}
          />
        </Field>
        <FormEnd verb="Save" work={save} onClose={onClose} />
      </form>
    </Dialog>
  );
}

interface GroupChoiceProps {
  readonly group: string;
  readonly onChange: (group: string) => void;
}

function GroupChoice({ group, onChange }: GroupChoiceProps) {
  const { data = [] } = useQuery(groups);
  return (
    <Field label="It is for">
      <select value={group} onChange={(event) => onChange(event.target.value)} className={FIELD}>
        {[EVERYBODY, ...data.map(({ name }) => name)].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
