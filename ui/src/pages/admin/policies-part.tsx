import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { policies, type Policy } from "../../api/admin-asks.ts";
import { Button } from "../../parts/button.tsx";
import { useCommands } from "../../parts/commands.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { policyText } from "./policy-text.ts";

/** Lists what everybody and the members of groups may use. */
export function PoliciesPart() {
  const { data, error } = useQuery(policies);
  const [asked, ask] = useState<Policy | "new">();
  useCommands([{ name: "Add a policy", run: () => ask("new") }]);
  const shown = data?.filter((policy) => policyText(policy) !== "");
  return (
    <Part
      title="Policies"
      note="What everybody, or each member of a group, may use. The most generous group counts."
      aside={<Button onClick={() => ask("new")}>Add a policy</Button>}
    >
      {error && <Trouble error={error} />}
      {!data && !error && <Waiting lines={2} />}
      {shown?.length === 0 && <p className="px-4 py-3 text-muted">Nobody is limited.</p>}
      <ul className="divide-y divide-line">
        {shown?.map((policy) => (
          <li key={policy.group} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <span className="min-w-0 flex-1 basis-52">
              <span className="font-medium wrap-anywhere">{policy.group}</span>
              <span className="block text-sm text-muted wrap-anywhere">{policyText(policy)}</span>
            </span>
            <Button aria-label={`Change the policy of ${policy.group}`} onClick={() => ask(policy)}>
              Change
            </Button>
          </li>
        ))}
      </ul>
      {asked && <PolicyForm {...(asked !== "new" && { policy: asked })} onClose={() => ask(undefined)} />}
    </Part>
  );
}
