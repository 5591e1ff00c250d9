import { useQuery } from "@tanstack/react-query";
import { you } from "../../api/admin-asks.ts";
import { Trouble } from "../../parts/notes.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { WaitingPage } from "../../parts/waiting.tsx";
import { GroupsPart } from "./groups-part.tsx";
import { OtherServerPart } from "../shadows/other-server-part.tsx";
import { ProvidersPart } from "./providers-part.tsx";
import { QuotaPart } from "./quota-part.tsx";
import { SecretsPart } from "./secrets-part.tsx";
import { TokensPart } from "./tokens-part.tsx";

export function AccountPage() {
  const { data, error } = useQuery(you);
  if (error) return <Trouble error={error} />;
  if (!data) return <WaitingPage />;
  return (
    <>
      <PageTitle title="Account" note={data.email} />
      <div className="mb-4">
        <QuotaPart quota={data.quota} />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <TokensPart />
        <SecretsPart />
        <ProvidersPart />
        <GroupsPart />
        <OtherServerPart />
      </div>
    </>
  );
}
