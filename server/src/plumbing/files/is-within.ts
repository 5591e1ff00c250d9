/** Returns whether a place is a folder itself or below it. Compares the two paths as they are, and looks at no file. */
export function isWithin(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
