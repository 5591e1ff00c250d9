import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { queryCache } from "../../api/cache.ts";
import { verifyRun } from "../../api/changes.ts";
import { type RunRecord, verification, type VerificationPlan, verificationPlan } from "../../api/run-asks.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FIELD, Field } from "../../parts/field.tsx";
import { sentenceOf, Trouble } from "../../parts/notes.tsx";
import { duration } from "../../parts/times.ts";
import { Waiting } from "../../parts/waiting.tsx";

interface VerifyDialogProps {
  readonly run: RunRecord;
  readonly onClose: () => void;
}

/** Says what a verification of a run or of one step costs, and starts it. */
export function VerifyDialog({ run, onClose }: VerifyDialogProps) {
  const [step, choose] = useState("");
  // The plan of the whole run names its steps. It stays while the plan of one step is loaded.
  const whole = useQuery(verificationPlan(run.id, ""));
  const { data: plan, error } = useQuery(verificationPlan(run.id, step));
  const work = useMutation({
    mutationFn: () => verifyRun(run.id, step),
    async onSuccess() {
      onClose();
      await queryCache.invalidateQueries({ queryKey: verification(run.id).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    work.mutate();
  };
  return (
    <Dialog title={`Verify ${run.name}`} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <StepField steps={whole.data?.steps ?? []} step={step} onChoose={choose} />
        <div className="space-y-2 text-sm" aria-live="polite">
          {plan && <Plan plan={plan} />}
          {error && <p className="text-bad wrap-anywhere">{sentenceOf(error)}</p>}
          {!plan && !error && <Waiting lines={3} />}
        </div>
        {work.error && <Trouble error={work.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" disabled={work.isPending || plan?.refusal !== null}>
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Number of steps that a plan names at most. */
const STEPS_NAMED_MAX = 20;

interface StepFieldProps {
  readonly steps: VerificationPlan["steps"];
  readonly step: string;
  readonly onChoose: (step: string) => void;
}

function StepField({ steps, step, onChoose }: StepFieldProps) {
  const more =
    steps.length < STEPS_NAMED_MAX
      ? ""
      : " The list has the longest steps. reprise verify --step takes the name of any.";
  return (
    <Field
      label="What is run again"
      note={`One step begins with the recorded inputs and the files that the steps before it left.${more}`}
    >
      <select value={step} onChange={({ target }) => onChoose(target.value)} className={FIELD}>
        <option value="">The whole workflow</option>
        {steps.map(({ name, wall_ms: wallMs }) => (
          <option key={name} value={name}>
            {name} ({duration(wallMs)})
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Limit on the repetitions of one step in the search for a cause. */
const REPETITIONS_MAX = 8;

function Plan({ plan }: { readonly plan: VerificationPlan }) {
  const { refusal, step, wall_ms: wallMs, cpu_ms: cpuMs, jobs, longest_step: longest, notes } = plan;
  if (refusal !== null) return <p className="text-bad wrap-anywhere">{refusal}</p>;
  return (
    <>
      <p className="wrap-anywhere">
        {step === null ? "The workflow" : `The step ${step}`} took {duration(wallMs ?? 0)} ({jobs}{" "}
        {jobs === 1 ? "job" : "jobs"}, {duration(cpuMs)} of processor time). A repetition takes about as long.
      </p>
      {longest && (
        <p className="text-muted wrap-anywhere">
          If you look for the cause of a difference, the step that differs is repeated at most{" "}
          {REPETITIONS_MAX} times: {longest.name}
          {step === null && ", the longest"}, for at most {duration(longest.wall_ms * REPETITIONS_MAX)}.
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="text-muted wrap-anywhere">
          {note}
        </p>
      ))}
    </>
  );
}
