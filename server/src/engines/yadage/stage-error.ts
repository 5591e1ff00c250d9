/** A stage cannot be carried out. Its message is a clause; the run fails with the stage in front of it. */
export class StageError extends Error {
  override readonly name = "StageError";
}
