import { compareWithPlain } from "./compared.ts";

compareWithPlain("8.27.1");
