/** Starts the key of a thing. The key of a path starts with a slash or a drive letter, so the two never meet. */
export const THING_KEY = 'thing:'

/** The folders that `/a/b` stands in, the nearest first and the root, as no text at all, last; a thing that is no path stands in none. */
export function foldersAbove(key: string): readonly string[] {
  const folders: string[] = []
  if (key.startsWith(THING_KEY)) return folders
  for (let end = key.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : key.lastIndexOf('/', end - 1)) {
    folders.push(key.slice(0, end))
  }
  return folders
}
