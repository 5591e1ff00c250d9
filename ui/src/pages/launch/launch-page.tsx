import { type FormEvent, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { useLocation, useSearchParams } from "wouter";
import { launchRun, lookAgain } from "../../api/changes.ts";
import { Button } from "../../parts/button.tsx";
import { Field, FIELD } from "../../parts/field.tsx";
import { Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";

/**
 * Shows the request of a launch link in editable fields. Nothing is created before the user confirms: a link
 * on another site must not start a run.
 */
export function LaunchPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const given = (name: string) => search.get(name) ?? "";
  const [url, setUrl] = useState(given("url"));
  const [name, setName] = useState(given("name"));
  const [specification, setSpecification] = useState(given("specification"));
  const [parameters, setParameters] = useState(given("parameters"));
  const launch = useMutation({
    mutationFn: launchRun,
    onSuccess: async ({ workflow_id: id }) => {
      navigate(`/runs/${id}`);
      await lookAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = { name: name.trim(), specification: specification.trim(), parameters: parameters.trim() };
    launch.mutate({ url: url.trim(), ...withoutEmpty(wanted) });
  };
  return (
    <>
      <PageTitle title="Launch a run" />
      <form onSubmit={submit} className="max-w-2xl space-y-4 rounded-lg border border-line bg-surface p-5">
        <p className="text-muted">
          A link asks for this run. Start it only if you trust the repository: its commands run with your
          files and secrets.
        </p>
        <Field label="Git repository">
          <input
            type="url"
            required
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            className={FIELD}
          />
        </Field>
        <Field label="Name" note="If empty, the server chooses one.">
          <input value={name} onChange={(event) => setName(event.target.value)} className={FIELD} />
        </Field>
        <Field label="Specification" note="Its path in the repository. If empty: reana.yaml.">
          <input
            value={specification}
            onChange={(event) => setSpecification(event.target.value)}
            className={FIELD}
          />
        </Field>
        <Field
          label="Parameters"
          note='JSON, such as {"events": 1000}. If empty: as the specification has them.'
        >
          <input
            value={parameters}
            onChange={(event) => setParameters(event.target.value)}
            className={`${FIELD} font-mono text-sm`}
          />
        </Field>
        {launch.isError && <Trouble error={launch.error} />}
        <Button type="submit" look="main" disabled={launch.isPending}>
          {launch.isPending ? "Fetching …" : "Fetch and start"}
        </Button>
      </form>
    </>
  );
}

function withoutEmpty<Values extends Readonly<Record<string, string>>>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")) as Partial<Values>;
}
