import { compareWithPlain } from "./compared.ts";

compareWithPlain("9.27.1");
