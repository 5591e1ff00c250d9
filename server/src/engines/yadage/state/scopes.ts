import { emptyList } from "#engines/wide-list";
import type { Workflow } from "#engines/yadage/model";
import { drawnScope, stageId } from "#engines/yadage/state/picture";
import type { Progress } from "#engines/yadage/state/progress";
import type { Init, Rule, Scope } from "#engines/yadage/state/state";

/** Adds the whole workflow to the run. `init` is the last stage, as in Yadage; all other stages wait for it anyway. */
export function addRootScope(progress: Progress): void {
  const { model } = progress.context;
  const init: Init | null =
    model.initdata === null
      ? null
      : { nodeName: "init", parameters: model.initdata, parents: [], discover: true, relative: true };
  addScope(progress, model.workflow, {
    offset: "",
    folder: "",
    tasks: [],
    initFolders: [model.initdir],
    init,
    maker: null,
  });
}

interface Nested {
  /** The stage that makes the workflow. */
  readonly rule: number;
  /** `map_0` */
  readonly name: string;
  readonly tasks: readonly string[];
  readonly workflow: Workflow;
  readonly init: Init;
  readonly initFolders: readonly string[];
}

/** Adds a workflow inside a stage. */
export function addNestedScope(
  progress: Progress,
  { rule, name, tasks, workflow, init, initFolders }: Nested,
): void {
  const { draft } = progress;
  const maker = draft.rule(rule);
  const { folder: outer } = draft.scope(maker.scope);
  const id = stageId(draft, rule);
  const offset = `${id}/${maker.items.length}`;
  const folder = outer === "" ? name : `${outer}/${name}`;
  progress.say(drawnScope(offset, name, id, workflow));
  const number = addScope(progress, workflow, { offset, folder, tasks, initFolders, init, maker: rule });
  draft.addItem(rule, -1 - number);
}

type NewScope = Pick<Scope, "offset" | "folder" | "tasks" | "initFolders" | "init" | "maker">;

function addScope({ context, draft }: Progress, workflow: Workflow, scope: NewScope): number {
  const definition = context.positions.get(workflow)!;
  const number = draft.addScope({ ...scope, definition, rules: [], left: 0, hasFailed: false, values: {} });
  const first = scope.init === null ? [] : [draft.addRule(newRule(number, null, "init"))];
  const rules = workflow.stages.map(({ name }, stage) => draft.addRule(newRule(number, stage, name)));
  const all = [...first, ...rules];
  draft.changeScope(number, { rules: all, left: all.length });
  for (const rule of all) draft.tryLater(rule);
  return number;
}

function newRule(scope: number, stage: number | null, name: string): Rule {
  return {
    scope,
    stage,
    name,
    isApplied: false,
    items: emptyList(),
    left: 0,
    hasFailed: false,
    waiters: [],
  };
}
