cwlVersion: v1.0
class: Workflow
inputs: {throw_code: File, count_code: File, seed: int, throws: int}
outputs:
  sums: {type: File, outputSource: count/sums}
steps:
  throw:
    run: throw.cwl
    in: {code: throw_code, seed: seed, throws: throws}
    out: [csv]
  count:
    run: count.cwl
    in: {code: count_code, csv: throw/csv}
    out: [sums]
