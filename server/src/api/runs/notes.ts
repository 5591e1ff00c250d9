import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import {
  type AnnotatedRun,
  annotateRun,
  getAnnotation,
  NOTE_LENGTH_MAX,
  TAGS_MAX,
} from "#operations/runs/annotate-run";

const NotesRecord = Type.Object(
  {
    ...RUN_NAMED,
    note: Type.String({ description: "Text of the note, or an empty string." }),
    tags: Type.Array(Type.String()),
  },
  { title: "Notes" },
);

export const getNotesEndpoint = endpoint({
  operation: "get-notes",
  summary: "Show the note and the tags of a workflow",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, response: { 200: NotesRecord } },
  async handle(context, { params, caller }) {
    return notesRecord(await getAnnotation(context, caller, params.workflow_id_or_name));
  },
});

export const setNotesEndpoint = change({
  operation: "set-notes",
  summary: "Change the note or the tags of a workflow, which its readers see",
  access: "user",
  needsBody: true,
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      note: Type.Optional(
        Type.String({ maxLength: NOTE_LENGTH_MAX, description: "An empty text removes the note." }),
      ),
      tags: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: TAGS_MAX,
          description: "All tags of the workflow: words of at most 40 letters, digits and `_ . : / @ + -`.",
        }),
      ),
      add_tags: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: TAGS_MAX,
          description: "Tags to add. The others stay, so that two clients can add tags at the same time.",
        }),
      ),
      remove_tags: Type.Optional(
        Type.Array(Type.String(), { maxItems: TAGS_MAX, description: "Tags to take away." }),
      ),
    }),
    response: { 200: NotesRecord },
  },
  handle(context, { caller, params, body = {} }) {
    const { note, tags, add_tags: addTags, remove_tags: removeTags } = body;
    return annotateRun(context, caller, params.workflow_id_or_name, {
      ...(note !== undefined && { note }),
      ...(tags !== undefined && { tags }),
      ...(addTags !== undefined && { addTags }),
      ...(removeTags !== undefined && { removeTags }),
    });
  },
  toWire: notesRecord,
});

function notesRecord({ run, note, tags }: AnnotatedRun) {
  return { ...namedRun(run), note, tags: [...tags] };
}
