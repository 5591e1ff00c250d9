import Type from "typebox";

/** What a change of sharing answers where there is any. */
export const SharingRecord = Type.Object(
  {
    message: Type.String(),
    workflow_id: Type.String({ format: "uuid" }),
    workflow_name: Type.String(),
  },
  { title: "Sharing" },
);
