/** Joins a path to the folder it counts from, and takes out `.` and `..` by their text, as `cd` does. */
export function joinPath(folder: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${folder}/${path}`
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return `/${parts.join('/')}`
}
