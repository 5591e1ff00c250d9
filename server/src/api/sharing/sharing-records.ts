import Type from "typebox";

/** Reply to a change of sharing, on a server that has sharing. */
export const SharingRecord = Type.Object(
  {
    message: Type.String(),
    workflow_id: Type.String({ format: "uuid" }),
    workflow_name: Type.String(),
  },
  { title: "Sharing" },
);
