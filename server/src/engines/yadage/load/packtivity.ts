import { checkFields, isPart } from "#engines/yadage/load/fields";
import type { Report } from "#engines/yadage/load/report";
import { resourceProblems } from "#engines/yadage/steps/resources";
import type { DockerEnvironment, Environment, Packtivity, Process, Publisher } from "#engines/yadage/model";
import { pythonStr } from "#plumbing/formats/python-text";
import { isObject } from "#workflow/specification/shape";

type Fields = Readonly<Record<string, unknown>>;

/** Checks one step, and fills in defaults. */
export function normalStep(value: unknown, report: Report): Packtivity | undefined {
  if (!isObject(value)) return report.refuse("has a step that is no map");
  const missing = ["process", "environment", "publisher"].filter((key) => value[key] === undefined);
  if (missing.length > 0) return report.refuse(`has a step without ${missing.join(" and ")}`);
  checkFields("step", value, report);
  checkParts(value, report);
  const process = isObject(value.process) ? processOf(value.process, report) : null;
  const environment = isObject(value.environment) ? environmentOf(value.environment, report) : null;
  const publisher = isObject(value.publisher)
    ? publisherOf(value.publisher, report)
    : report.refuse("has a publisher that is no map");
  if (process === undefined || environment === undefined || publisher === undefined) return undefined;
  return { process, environment, publisher };
}

/** Checks the fields of the three parts of a step, by type. Unknown types are refused by the readers of the parts. */
function checkParts(step: Fields, report: Report): void {
  for (const part of ["process", "environment", "publisher"]) {
    const value = step[part];
    const type = isObject(value) ? value[`${part}_type`] : undefined;
    if (isObject(value) && isPart(type))
      checkFields(type, value, report, `a step with ${part === "environment" ? "an" : "a"} ${part}`);
  }
}

function processOf(value: Fields, report: Report): Process | undefined {
  const { process_type: type } = value;
  switch (type) {
    case "string-interpolated-cmd": {
      const cmd = textOf(value, "cmd", report);
      return cmd === undefined ? undefined : { process_type: type, cmd };
    }
    case "interpolated-script-cmd": {
      const script = textOf(value, "script", report);
      const { interpreter = "sh" } = value;
      return script === undefined
        ? undefined
        : { process_type: type, script, interpreter: String(interpreter) };
    }
    case "manual-instructions-proc":
      return report.refuse("waits for a person to carry out its instructions, which a run cannot do");
    default:
      return unknown(report, "process type", type, ["string-interpolated-cmd", "interpolated-script-cmd"]);
  }
}

function environmentOf(value: Fields, report: Report): Environment | undefined {
  const { environment_type: type } = value;
  switch (type) {
    case "docker-encapsulated":
      return dockerOf(value, report);
    case "localproc-env":
    case "noop-env":
      return { environment_type: type };
    case "manual-instructions-env":
      return report.refuse("waits for a person to prepare its environment, which a run cannot do");
    default:
      return unknown(report, "environment type", type, ["docker-encapsulated", "localproc-env", "noop-env"]);
  }
}

function dockerOf(value: Fields, report: Report): DockerEnvironment | undefined {
  const image = textOf(value, "image", report);
  if (image === undefined) return undefined;
  const {
    imagetag = "latest",
    envscript = "",
    env = {},
    workdir = null,
    resources = [],
    par_mounts: mounts = [],
  } = value;
  const isMount = (one: unknown) =>
    isObject(one) && typeof one.jqscript === "string" && typeof one.mountpath === "string";
  if (!Array.isArray(mounts) || !mounts.every(isMount))
    return report.refuse("has par_mounts that are no list of jqscript and mountpath");
  const demanded = Array.isArray(resources) ? (resources as unknown[]) : [];
  for (const problem of resourceProblems(demanded)) report.refuse(problem);
  return {
    environment_type: "docker-encapsulated",
    image,
    imagetag: imagetag === null ? "" : pythonStr(imagetag),
    envscript: envscript === null ? "" : pythonStr(envscript),
    env: isObject(env) || Array.isArray(env) ? (env as DockerEnvironment["env"]) : {},
    workdir: typeof workdir === "string" ? workdir : null,
    resources: demanded,
    par_mounts: mounts as DockerEnvironment["par_mounts"],
  };
}

function publisherOf(value: Fields, report: Report): Publisher | undefined {
  const { publisher_type: type, glob = false, relative_paths: relative = false } = value;
  const finding = { glob: glob === true, relative_paths: relative === true };
  if ((type === "constant-pub" || type === "interpolated-pub") && value.publish === undefined)
    return report.refuse(`has a ${type} without "publish"`);
  switch (type) {
    case "constant-pub":
      return { publisher_type: type, publish: value.publish };
    case "frompar-pub":
      if (!isObject(value.outputmap)) return report.refuse("has a frompar-pub without an outputmap");
      return { publisher_type: type, outputmap: value.outputmap };
    case "interpolated-pub":
      return { publisher_type: type, publish: value.publish, ...finding };
    case "fromparjq-pub": {
      const { script = ".", tryExact = true } = value;
      return { publisher_type: type, script: String(script), tryExact: tryExact === true, ...finding };
    }
    case "fromglob-pub": {
      const globexpression = textOf(value, "globexpression", report);
      const outputkey = textOf(value, "outputkey", report);
      if (globexpression === undefined || outputkey === undefined) return undefined;
      return { publisher_type: type, globexpression, outputkey };
    }
    case "fromyaml-pub": {
      const yamlfile = textOf(value, "yamlfile", report);
      return yamlfile === undefined ? undefined : { publisher_type: type, yamlfile };
    }
    case "manual-instructions-pub":
    case "manual-publishing":
      return report.refuse("waits for a person to publish its results, which a run cannot do");
    default:
      return unknown(report, "publisher type", type, PUBLISHERS);
  }
}

const PUBLISHERS = [
  "constant-pub",
  "frompar-pub",
  "interpolated-pub",
  "fromparjq-pub",
  "fromglob-pub",
  "fromyaml-pub",
];

function textOf(value: Fields, key: string, report: Report): string | undefined {
  const text = value[key];
  return typeof text === "string" ? text : report.refuse(`has a step without the text "${key}"`);
}

function unknown(report: Report, what: string, type: unknown, known: readonly string[]): undefined {
  return report.refuse(
    `has a step with the ${what} ${JSON.stringify(type)}; it must be one of ${known.join(", ")}`,
  );
}
