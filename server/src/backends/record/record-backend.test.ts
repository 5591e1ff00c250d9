import { backendContract } from "#backends/contract-suite";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { openRecords } from "#backends/record/record-fixture";

backendContract(
  "A backend over records",
  openRecords(() => new ForkingPlace()),
);
