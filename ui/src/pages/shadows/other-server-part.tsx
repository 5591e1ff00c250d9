import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { shadows } from "../../api/admin-asks.ts";
import { Part } from "../../parts/part.tsx";
import { counted } from "../../parts/words.ts";

/** Leads to the comparison with another server, if runs are also sent to one. */
export function OtherServerPart() {
  const { data } = useQuery(shadows);
  if (!data || data.server === null) return null;
  const compared = data.users.reduce((sum, user) => sum + user.compared, 0);
  return (
    <Part title="Runs on both servers" note={`Each started run also runs on ${data.server}.`}>
      <p className="px-4 py-3">
        {counted(compared, "run")} compared.{" "}
        <Link href="/shadows" className="text-accent hover:underline">
          What differs
        </Link>
      </p>
    </Part>
  );
}
