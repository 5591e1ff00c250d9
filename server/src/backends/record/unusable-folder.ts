/** Says that a node could not use the folder of the records, which all nodes share. */
export function unusableFolder(node: string, folder: string): string {
  return (
    `${node} could not write into ${folder}: mount the data folder on every node, at the same path, writable for the user of the ` +
    "server and with free space, or let --data lead to a folder that every node sees."
  );
}
