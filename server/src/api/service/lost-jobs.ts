import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { declareJobLost } from "#operations/service/lost-jobs";

const LostJob = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "Name of the step." }),
    workflow_id: Type.String({ description: "Id of the run." }),
    compute_backend: Type.String({ description: "Backend of the job." }),
  },
  { title: "LostJob" },
);

export const declareJobLostEndpoint = endpoint({
  operation: "declare-job-lost",
  summary: "Declare that the node of a job will not come back: the job is lost, and its run continues",
  access: "admin",
  worksOnFullDisk: true,
  refuses: [404, 409],
  schema: {
    params: Type.Object({ job: Type.String({ description: "Id of the job." }) }),
    response: { 200: LostJob },
  },
  handle: async (context, request) => {
    const { id, name, runId, backend } = await declareJobLost(context, request.params.job);
    return { id, name, workflow_id: runId, compute_backend: backend };
  },
});
