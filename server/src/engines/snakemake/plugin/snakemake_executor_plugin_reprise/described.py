"""Describes Snakemake's jobs, rules and reasons in the words of Reprise's messages."""

import hashlib
import os

from snakemake.exceptions import RuleException, WorkflowError
from snakemake.utils import format as format_in_braces

# The resources that Reprise understands, apart from `mem_mb`.
RESOURCES = (
    "compute_backend",
    "kerberos",
    "unpacked_img",
    "voms_proxy",
    "rucio",
    "container_image",
    "gpu",
    "gpus",
    "nvidia_gpu",
)
RESOURCE_PREFIXES = ("kubernetes_", "htcondor_", "slurm_", "c4p_")

# The variables before the Snakefile was read, which may set others.
OWN_VARIABLES = dict(os.environ)
VARIABLES_MAX = 200

# Why Snakemake runs a job: the property of its reason, and the name under which Reprise reports it.
REASON_FILES = (
    ("missing_output", "missing-output"),
    ("incomplete_output", "incomplete-output"),
    ("updated_input", "updated-input"),
    ("updated_input_run", "input-is-made-again"),
)
REASON_FLAGS = (
    ("code_changed", "code-changed"),
    ("params_changed", "params-changed"),
    ("input_changed", "input-set-changed"),
    ("software_stack_changed", "software-changed"),
    ("forced", "forced"),
    ("noio", "no-input-or-output"),
    ("nooutput", "no-output"),
)
REASON_FILES_MAX = 20

# The properties of a job that its command may name.
FORMATTED = ("input", "output", "params", "threads", "resources", "log", "jobid", "name")

# Bounds what a message may hold.
SHOWN_MAX = 10_000
SENTENCE_MAX = 1000
NAME_MAX = 200


def plan_of(dag):
    """Returns the rules of the run: how many jobs each still has, which are up to date, and which follow which."""
    needed, up_to_date, edges = {}, {}, set()
    for job in dag.jobs:
        if job.is_norun:
            continue
        counts = needed if dag.needrun(job) else up_to_date
        counts[job.rule.name] = counts.get(job.rule.name, 0) + 1
        for other in dag.dependencies[job]:
            if not other.is_norun and other.rule.name != job.rule.name:
                edges.add((other.rule.name, job.rule.name))
    return {
        "kind": "plan",
        "steps": len(dag),
        "rules": [
            {"name": name, "jobs": needed.get(name, 0), "done": up_to_date.get(name, 0)}
            for name in sorted({*needed, *up_to_date})
        ],
        "edges": sorted(edges),
        "may_grow": any(True for _ in dag.checkpoint_jobs),
    }


def key_of(job):
    if not job.wildcards_dict:
        return job.rule.name
    pairs = sorted(job.wildcards_dict.items())
    # Two jobs of a rule never have the same key, whatever their wildcards hold.
    wildcards = ",".join(f"{name}={value}".replace("\\", "\\\\").replace(",", "\\,") for name, value in pairs)
    return f"{job.rule.name}[{wildcards}]"


def short(text):
    """Returns a text of bounded length that differs for different texts."""
    if len(text) <= NAME_MAX:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text[: NAME_MAX - 17]} {digest}"


def name_of(job):
    """Returns the name that REANA gives to a job."""
    if not job.wildcards_dict:
        return job.rule.name
    wildcards = ", ".join(f"{name}={value}" for name, value in job.wildcards_dict.items())
    return f"{job.rule.name} ({wildcards})"


def name_of_group(members):
    """Returns the group's own name. Pipes and services make groups that have none."""
    named = {str(member.group) for member in members if member.rule.group}
    return " ".join(sorted(named or {member.rule.name for member in members}))


def shown_command(job):
    """Returns the command of a `shell:` rule, or the kind of work of any other."""
    return ((job.is_shell and job.shellcmd) or describe(job)).strip()[:SHOWN_MAX]


def describe(job):
    for kind in ("script", "notebook", "wrapper", "cwl", "template_engine"):
        value = getattr(job.rule, kind, None)
        if value:
            return f"{kind}: {value}"
    return f"run: {job.rule.name}"


def image_of(job):
    """Returns the container image of a rule, or one that its resources name, as REANA understands it."""
    named = job.resources.get("container_image") or job.container_img_url
    if not named:
        return None
    return str(named).removeprefix("docker://")


def unused_environment(job, workflow):
    """Returns what a rule says about its programs and is ignored. None if nothing is."""
    if workflow.deployment_settings.deployment_method:
        return None
    if job.conda_env_spec:
        return f"conda: {job.rule.conda_env}"[:NAME_MAX]
    return "envmodules" if job.env_modules else None


def changed_variables():
    """Returns the variables that the Snakefile has set, which the processes of plain Snakemake inherit."""
    changed = [
        (name, value)
        for name, value in os.environ.items()
        if name.isidentifier() and name.isascii() and OWN_VARIABLES.get(name) != value
    ]
    if len(changed) > VARIABLES_MAX:
        raise WorkflowError(
            f"The Snakefile sets {len(changed)} environment variables; at most {VARIABLES_MAX} are handed to a job."
        )
    return dict(changed)


def command_of(job):
    """Returns the command of a `shell:` rule as its run formats it: in the namespace of the module that defines the rule.
    Snakemake's own `shellcmd` takes the main workflow's.
    """
    rule = job.rule
    if not rule.shellcmd:
        return None
    known = {
        **rule.run_func.__globals__,
        **{name: getattr(job, name) for name in FORMATTED},
        "wildcards": job._format_wildcards,
        "rule": rule.name,
        "rulename": rule.name,
        "bench_iteration": None,
    }
    try:
        return format_in_braces(rule.shellcmd, **known)
    except Exception as error:
        what = f"{type(error).__name__}: {error}, when formatting the following:\n{rule.shellcmd}"
        raise RuleException(what, rule=rule) from error


def own_memory(job, workflow):
    """Returns the memory that the rule asks for. What Snakemake assumes for every job reserves nothing."""
    settings = workflow.resource_settings
    parsed = getattr(settings, "_parsed_default_resources", None)
    defaults = parsed if parsed is not None else settings.default_resources.parsed
    own = job.rule.resources.get("mem_mb") or job.rule.resources.get("mem")
    default = defaults.get("mem_mb")
    value = job.resources.get("mem_mb")
    is_own = own is not None and own is not default and own != default
    return value if is_own and isinstance(value, int) else 0


def is_known_resource(name):
    return name in RESOURCES or name.startswith(RESOURCE_PREFIXES)


def is_plain_shell(job, workflow):
    """Whether nothing but the command belongs to the job: all else is left to Snakemake's own call."""
    methods = workflow.deployment_settings.deployment_method
    return (
        job.is_shell
        and not job.is_shadow
        and not job.benchmark
        and not job.is_pipe
        and not job.is_service
        and not (methods and (job.conda_env or job.env_modules))
        and not any(getattr(file, "is_storage", False) for file in (*job.input, *job.output))
    )


def reason_of(reason):
    facts = []
    for name, kind in REASON_FILES:
        files = sorted(map(str, getattr(reason, name) or ()))[:REASON_FILES_MAX]
        facts += [[kind, file] for file in files]
    facts += [[kind, None] for name, kind in REASON_FLAGS if getattr(reason, name, False)]
    return {"reason": {"facts": facts, "sentence": str(reason)[:SENTENCE_MAX]}}
