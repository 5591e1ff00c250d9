/** A stage cannot be carried out. Its message is a clause; the run fails with the stage in front of it. */
export class StageError extends Error {
  override readonly name: string = "StageError";
}

/** A stage uses a result that is not there yet. */
export class ResultMissing extends StageError {
  override readonly name = "ResultMissing";

  constructor(node: string) {
    super(`it uses the result of "${node}", which is not there yet. List that stage among its dependencies`);
  }
}
