import { NO_APPTAINER, sharedApptainer } from "#backends/containers/apptainer/apptainer-fixture";
import { containerContract } from "#backends/containers/containers-fixture";
import { describeUnless } from "#plumbing/needs-suite";

describeUnless(NO_APPTAINER)("in containers of Apptainer", () => {
  containerContract(sharedApptainer(), "apptainer");
});
