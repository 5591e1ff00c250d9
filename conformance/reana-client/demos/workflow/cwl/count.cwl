cwlVersion: v1.0
class: CommandLineTool
hints: {DockerRequirement: {dockerPull: "docker.io/library/python:3-slim"}}
baseCommand: python3
inputs:
  code: {type: File, inputBinding: {position: 1}}
  csv: {type: File, inputBinding: {position: 2}}
arguments: [{valueFrom: sums.txt, position: 3}]
outputs:
  sums: {type: File, outputBinding: {glob: sums.txt}}
