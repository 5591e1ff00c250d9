/**
 * Cuts a long text in the middle, keeping the beginning and the end: `a-very-long-na…sis.119`. Similar names
 * often begin alike and differ only at the end.
 */
export function cutInMiddle(text: string, maxLength: number): string {
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  const tail = Math.ceil((maxLength - 1) / 2);
  const head = Math.max(maxLength - 1 - tail, 0);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - tail).join("")}`;
}
