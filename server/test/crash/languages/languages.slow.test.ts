import { CWL, SNAKEMAKE, YADAGE } from "./language-stories.ts";
import { testLanguage } from "./language-cases.ts";

/** Points at which an engine waits for what no other language asks for. The long form walks all. */
testLanguage(CWL, [["stage-placed:1", "outputs-published:2"]], true);
testLanguage(YADAGE, [["job-collected:1", "literals-written:2"]], true);
testLanguage(SNAKEMAKE, [["lines-told:2"]], true);
