/** Returns letters in the order in which contents appear: a, b, … z, aa, ab, … Equal contents have the same letter. */
export function letterer(): (content: string) => string {
  const known = new Map<string, string>();
  return (content) => {
    const letter = known.get(content) ?? lettersOf(known.size);
    known.set(content, letter);
    return letter;
  };
}

function lettersOf(index: number): string {
  const last = String.fromCodePoint(97 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}
