cwlVersion: v1.0
class: CommandLineTool
hints: {DockerRequirement: {dockerPull: "docker.io/library/python:3-slim"}}
baseCommand: python3
inputs:
  code: {type: File, inputBinding: {position: 1}}
  seed: {type: int, inputBinding: {position: 2}}
  throws: {type: int, inputBinding: {position: 3}}
arguments: [{valueFrom: throws.csv, position: 4}]
outputs:
  csv: {type: File, outputBinding: {glob: throws.csv}}
