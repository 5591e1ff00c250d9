import { PageTitle } from "../../parts/page-title.tsx";
import { NewRunWays } from "./new-run-ways.tsx";

export function NewRunPage() {
  return (
    <>
      <PageTitle title="New run" />
      <NewRunWays />
    </>
  );
}
