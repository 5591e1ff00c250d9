import Type, { type Static } from "typebox";
import { serverAddress } from "#api/http/access/server-address";
import { nullable, oneOf } from "#api/http/document/schemas";
import { change, endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getPublication, type ShownPublication } from "#operations/reports/publication/get-publication";
import { requestPublication } from "#operations/reports/publication/request-publication";
import { PUBLICATION_STATES } from "#workflow/run/publication";

const PublicationRecord = Type.Object(
  {
    ...RUN_NAMED,
    state: oneOf(PUBLICATION_STATES, {
      description:
        "`sending`: the server takes the next steps by itself. `draft`: the draft is complete and not published.",
    }),
    to: nullable(Type.String({ description: "Address of the server with the deposit." })),
    url: nullable(Type.String({ description: "Address of the draft or the published record." })),
    doi: nullable(
      Type.String({ description: "Reserved for the draft, and registered once it is published." }),
    ),
    problem: nullable(
      Type.String({
        description: "Why the last attempt failed, in a sentence. While sending, it is repeated.",
      }),
    ),
    file: nullable(
      Type.Object(
        { name: Type.String(), bytes: Type.Integer(), md5: Type.String() },
        { title: "DepositFile" },
      ),
    ),
    citation: nullable(
      Type.String({ description: "How to cite the result. Null if its creators are unknown." }),
    ),
    launcher_url: nullable(
      Type.String({ description: "The repository that the workflow was created from." }),
    ),
  },
  { title: "Publication" },
);

export const getPublicationEndpoint = endpoint({
  operation: "get-publication",
  summary: "Show where a workflow is published, and how to cite it",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, response: { 200: PublicationRecord } },
  async handle(context, { params, caller }) {
    return publicationRecord(await getPublication(context, caller, params.workflow_id_or_name));
  },
});

const CreatorValue = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "`Family, Given`. A name without a comma is an organisation.",
    }),
    orcid: Type.Optional(Type.String({ pattern: "^\\d{4}-\\d{4}-\\d{4}-\\d{3}[\\dX]$" })),
    affiliation: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  },
  { title: "Creator" },
);

export const publishWorkflowEndpoint = change({
  operation: "publish-workflow",
  summary:
    "Deposit a workflow that has ended on Zenodo or another server with InvenioRDM's API, as a draft with a DOI",
  access: "user",
  // A result that is published cannot be taken back.
  scope: "everything",
  refuses: [501],
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object(
      {
        to: Type.Optional(
          Type.String({
            maxLength: 500,
            description:
              "`zenodo`, `zenodo-sandbox`, or the address of a server. May be absent if the workflow has a draft.",
          }),
        ),
        secret: Type.Optional(
          Type.String({
            maxLength: 200,
            description:
              "Name of your secret with the access token. Default: `ZENODO_TOKEN` or `ZENODO_SANDBOX_TOKEN`.",
          }),
        ),
        title: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
        creators: Type.Optional(
          Type.Array(CreatorValue, {
            minItems: 1,
            maxItems: 200,
            description: "Default: from `CITATION.cff`.",
          }),
        ),
        license: Type.Optional(
          Type.String({
            pattern: "^https?://\\S+$",
            maxLength: 1000,
            description: "Address of the licence.",
          }),
        ),
        submit: Type.Optional(
          Type.Boolean({ default: false, description: "Also publishes the draft, which cannot be undone." }),
        ),
      },
      { title: "PublicationValues" },
    ),
    response: { 202: PublicationRecord },
  },
  handle(context, request) {
    const { params, caller, body = {} } = request;
    const { submit: submits = false, ...values } = body;
    return requestPublication(context, caller, {
      ...values,
      submits,
      address: params.workflow_id_or_name,
      server: serverAddress(context, request),
      program: context.version,
    });
  },
  toWire: publicationRecord,
});

function publicationRecord({
  run,
  file,
  ...publication
}: ShownPublication): Static<typeof PublicationRecord> {
  return { ...namedRun(run), ...publication, file: file && { ...file }, launcher_url: run.launcherUrl };
}
