import { useQuery } from "@tanstack/react-query";
import { you } from "../../api/admin-asks.ts";
import { Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { WaitingPage } from "../../parts/waiting.tsx";
import { SecretsPart } from "./secrets-part.tsx";
import { TokensPart } from "./tokens-part.tsx";

export function AccountPage() {
  const { data, error } = useQuery(you);
  if (error) return <Trouble error={error} />;
  if (!data) return <WaitingPage />;
  const { cpu, disk } = data.quota;
  const used = [
    `${cpu.usage.human_readable} of processor time`,
    disk && `${disk.usage.human_readable} of disk`,
  ];
  return (
    <>
      <PageTitle title="Account" note={data.email} />
      <p className="-mt-2 mb-4 text-muted">You have used {used.filter(Boolean).join(" and ")}.</p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <TokensPart />
        <SecretsPart />
      </div>
    </>
  );
}
