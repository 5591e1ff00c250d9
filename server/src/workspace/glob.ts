/** The patterns of a workspace are those of the command line too. */
export { hasMagic, parseGlob } from "#plumbing/glob";
