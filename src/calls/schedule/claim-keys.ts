/** Starts the key of a thing. The key of a path starts with a slash or a drive letter, so the two never collide. */
export const THING_KEY = 'thing:'

/** The folders that contain `/a/b`, nearest first; the root is the empty string. A key that is not a path has none. */
export function foldersAbove(key: string): readonly string[] {
  const folders: string[] = []
  if (key.startsWith(THING_KEY)) return folders
  for (let end = key.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : key.lastIndexOf('/', end - 1)) {
    folders.push(key.slice(0, end))
  }
  return folders
}
