/** A part of a word: in single quotes, in double quotes, one character behind a backslash, or plain. */
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy;

/** Splits a text into words as a shell does, without variables and patterns. A quote that is not closed is a character. */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length;) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    const isSpace = !found && /\s/.test(text[at]!);
    if (isSpace && word !== undefined) words.push(word);
    if (isSpace) word = undefined;
    else word = (word ?? "") + (found ? partOf(found) : text[at]!);
    at += found ? found[0].length : 1;
  }
  return word === undefined ? words : [...words, word];
}

function partOf([, single, double, escaped, plain]: RegExpExecArray): string {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain!;
}
