cwlVersion: v1.0
class: Workflow
inputs: {name: string}
outputs:
  out: {type: File, outputSource: greet/out}
steps:
  greet:
    in: {name: name}
    out: [out]
    run:
      class: CommandLineTool
      baseCommand: echo
      inputs: {name: {type: string, inputBinding: {position: 1}}}
      outputs: {out: {type: stdout}}
      stdout: out.txt
