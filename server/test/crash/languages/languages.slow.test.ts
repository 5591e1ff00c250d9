import { CWL, SNAKEMAKE, YADAGE } from "./language-stories.ts";
import { testLanguage } from "./language-cases.ts";

/** Points at which an engine waits for a reply specific to the language. The long form walks all points. */
testLanguage(CWL, [["stage-placed:1", "outputs-published:2"]], true);
testLanguage(YADAGE, [["job-collected:1", "literals-written:2"]], true);
testLanguage(SNAKEMAKE, [["lines-told:2"]], true);
