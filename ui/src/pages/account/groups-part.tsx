import { useMutation, useQuery } from "@tanstack/react-query";
import type { components } from "reprise-sdk";
import { group, groups, you } from "../../api/admin-asks.ts";
import { lookAgain, setGroupRole } from "../../api/changes.ts";
import { Trouble } from "../../parts/notes.tsx";
import { Part } from "../../parts/part.tsx";

type Role = components["schemas"]["GroupRole"];

/** The rights of each role. */
const ROLES: Readonly<Record<Role, string>> = {
  viewer: "viewer: reads",
  member: "member: also shares",
  maintainer: "maintainer: also changes the members",
};

/** The groups of the user, with the members and their roles. Absent if there are none. */
export function GroupsPart() {
  const { data = [], error } = useQuery(groups);
  if (error) return <Trouble error={error} />;
  if (data.length === 0) return null;
  return (
    <Part title="Groups" note="Share a run with group:NAME, and all its users read it.">
      <ul className="divide-y divide-line">
        {data.map(({ name, owner_email: owner }) => (
          <li key={name} className="px-4 py-2">
            <h3 className="font-medium wrap-anywhere">{name}</h3>
            <Members name={name} owner={owner} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

interface MembersProps {
  readonly name: string;
  readonly owner: string;
}

function Members({ name, owner }: MembersProps) {
  const { data, error } = useQuery(group(name));
  const { data: self } = useQuery(you);
  const change = useMutation({ mutationFn: setGroupRole, onSuccess: lookAgain });
  if (error) return <Trouble error={error} />;
  const own = data?.members.find(({ email }) => email === self?.email)?.role;
  const mayChange = own === "maintainer" || owner === self?.email;
  return (
    <ul className="mt-1 space-y-1 text-sm">
      {data?.members.map(({ email, role }) => (
        <li key={email} className="flex flex-wrap items-center justify-between gap-2">
          <span className="min-w-0 text-muted wrap-anywhere">{email}</span>
          {mayChange && email !== self?.email ? (
            <select
              aria-label={`Role of ${email} in ${name}`}
              value={role}
              onChange={({ target }) => change.mutate({ name, email, role: target.value as Role })}
              className="h-8 rounded-md border border-line bg-canvas px-2"
            >
              {Object.entries(ROLES).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          ) : (
            <span>{role}</span>
          )}
        </li>
      ))}
      {change.error && <Trouble error={change.error} />}
    </ul>
  );
}
