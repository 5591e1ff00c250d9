import type { Random } from "#plumbing/ids";

const ADJECTIVES = words(`
  able agile airy ample amber apt azure bold brave breezy brief bright brisk calm candid careful clear clever cool
  coral cosy crisp curious daring deft eager early easy even fair fancy fast fine firm fleet fond fresh gentle glad
  golden grand green handy happy hardy honest humble ivory jolly keen kind lively loyal lucid lucky mellow merry mild
  misty modest neat nimble noble olive patient plain polite proud quick quiet rapid ready rosy royal silent silver
  sleek smart smooth snug soft solid spry steady still sunny sure swift tidy tranquil true vivid warm wise witty young
`);

const NOUNS = words(`
  acorn alder alpaca aspen aster badger beacon beech birch bison brook canyon cedar cherry cloud clover comet condor
  coral cove crane creek cricket cypress daisy delta dolphin dove dune eagle ember falcon fern finch fjord forest fox
  garden gecko glacier harbor hare hawk hazel heron hill ibis iris island ivy jasmine juniper kestrel lagoon lake lark
  lemur lily linden lotus lynx magpie maple marten meadow mesa moon moss nebula oak ocean olive orca orchid oriole
  osprey otter owl panda pebble pelican pine planet plover poplar puffin quail rabbit raven reef ridge river robin
  rowan sage salmon seal shore sparrow spruce star stone stork summit swan teal thistle tiger tulip valley violet
  walrus wave willow wren zebra
`);

/** A name for a workflow that was given none, such as `calm-otter`: easy to say and to type again. */
export function generateName(random: Random): string {
  const bytes = random.bytes(4);
  return `${pick(ADJECTIVES, bytes.readUInt16BE(0))}-${pick(NOUNS, bytes.readUInt16BE(2))}`;
}

function pick(list: readonly string[], number: number): string {
  return list[number % list.length]!;
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
