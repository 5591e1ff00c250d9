/** A stage cannot be carried out. The message is a clause; the run fails with the stage prepended. */
export class StageError extends Error {
  override readonly name: string = "StageError";
}

/** A stage uses a result that is not yet available. */
export class ResultMissing extends StageError {
  override readonly name = "ResultMissing";

  constructor(node: string) {
    super(`it uses the result of "${node}", which is not there yet. List that stage among its dependencies`);
  }
}
