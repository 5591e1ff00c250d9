import Type, { type Static } from "typebox";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import type { UploadAddress, UploadState } from "#operations/files/upload-in-parts";
import { toUtcTime, utcTime } from "#api/http/schemas";
import { isUuid } from "#plumbing/ids";
import { Refusal } from "#plumbing/errors";

export const UPLOAD_PARAMS = Type.Object({
  ...WORKFLOW_PARAMS.properties,
  upload: Type.String({ description: "The upload_id." }),
});

export const UploadRecord = Type.Object(
  {
    upload_id: Type.String({ format: "uuid" }),
    file_name: Type.String(),
    size: Type.Integer(),
    offset: Type.Integer({ description: "How many bytes have come: the next part begins there." }),
    expires_at: utcTime("When it is forgotten, unless another part comes."),
  },
  { title: "Upload" },
);

export function uploadRecord({
  id,
  name,
  bytes,
  offset,
  expiresAtMs,
}: UploadState): Static<typeof UploadRecord> {
  return { upload_id: id, file_name: name, size: bytes, offset, expires_at: toUtcTime(expiresAtMs) };
}

/** Returns the address of an upload. An id becomes part of a path on the disk, so only UUIDs are accepted. */
export function uploadAddress(params: Static<typeof UPLOAD_PARAMS>): UploadAddress {
  const { workflow_id_or_name: address, upload } = params;
  if (isUuid(upload)) return { address, upload: upload.toLowerCase() };
  throw new Refusal("absent", "There is no such upload: an upload_id is a UUID.");
}
