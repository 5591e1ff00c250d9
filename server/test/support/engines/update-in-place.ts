/**
 * A CWL workflow that makes a folder and a file, changes both in place, and prints the final contents of the
 * original places. All commands run in the image, if given.
 */
export function updateInPlace(image?: string): string {
  const requirements = image === undefined ? "{}" : `{DockerRequirement: {dockerPull: "${image}"}}`;
  return `cwlVersion: v1.2
class: Workflow
requirements: ${requirements}
inputs: {}
outputs: {log: {type: File, outputSource: show/log}}
steps:
  make:
    in: {}
    out: [folder, file]
    run:
      class: CommandLineTool
      baseCommand: [bash, -c, "mkdir folder; echo old > folder/old; echo 1 > file"]
      inputs: {}
      outputs:
        folder: {type: Directory, outputBinding: {glob: folder}}
        file: {type: File, outputBinding: {glob: file}}
  update:
    in: {folder: make/folder, file: make/file}
    out: [folder, file]
    run:
      class: CommandLineTool
      requirements:
        InplaceUpdateRequirement: {inplaceUpdate: true}
        InitialWorkDirRequirement:
          listing:
          - {entry: $(inputs.folder), entryname: folder, writable: true}
          - {entry: $(inputs.file), entryname: file, writable: true}
      baseCommand: [bash, -c, "echo new > folder/new; echo 2 >> file"]
      inputs: {folder: Directory, file: File}
      outputs:
        folder: {type: Directory, outputBinding: {glob: folder}}
        file: {type: File, outputBinding: {glob: file}}
  show:
    in: {folder: make/folder, file: make/file, updated: update/file}
    out: [log]
    run:
      class: CommandLineTool
      requirements: {InlineJavascriptRequirement: {}}
      baseCommand: [bash, -c, 'cat "$0"/* "$1" "$2"']
      arguments: [$(inputs.folder.path), $(inputs.file.path), $(inputs.updated.path)]
      inputs: {folder: Directory, file: File, updated: File}
      stdout: log
      outputs: {log: stdout}
`;
}

/** The content of the output `log` of the workflow. */
export const UPDATED_IN_PLACE = "new\nold\n1\n2\n1\n2\n";
