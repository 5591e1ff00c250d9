import type { TSchema } from "typebox";
import { DrainRecord } from "#api/drain-records";
import { Message } from "#api/schemas";
import { UploadRecord } from "#api/upload-records";
import { Account, User } from "#api/user-schemas";

/** The schemas that stand once in the document, under their `$id`; endpoints refer to them by `shared(…)`. */
export const SHARED_SCHEMAS: readonly TSchema[] = [Message, User, Account, UploadRecord, DrainRecord];
