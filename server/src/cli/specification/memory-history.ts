import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { withReadingClient } from "#cli/connection/open-client";
import { runParams } from "#cli/run-address";
import type { StepMemory } from "#workflow/job/memory-advice";

/** Returns the memory that the steps of a run used. */
export async function memoryOfRun(cli: CliContext, call: Call, run: string): Promise<readonly StepMemory[]> {
  return withReadingClient(cli, call, async (client) => {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/usage", {
      params: runParams(run),
    });
    return data!.memory.map((memory) => ({
      step: memory.step,
      limitBytes: memory.limit_bytes,
      peakBytes: memory.peak_bytes,
      isWhole: memory.is_whole,
    }));
  });
}
