/** Characters that some file systems leave out of a name when they compare it. */
const IGNORED = /\u200c|\u200d|\u200e|\u200f|[\u202a-\u202e]|[\u206a-\u206f]|\ufeff/g

/** A spelling under which all names are equal that could mean the same file: for comparisons that restrict. */
export function foldForRestricting(text: string, isCaseInsensitive: boolean): string {
  const composed = text.normalize('NFC')
  return isCaseInsensitive ? composed.replace(IGNORED, '').toUpperCase().toLowerCase() : composed
}

/** A spelling under which only names are equal that surely mean the same file: for comparisons that allow. */
export function foldForAllowing(text: string, isCaseInsensitive: boolean): string {
  return isCaseInsensitive ? text.normalize('NFC').toLowerCase() : text
}

/** Some file systems drop dots and spaces at the end of a name, and a stream name behind a colon. */
export function withoutTrailers(path: string): string {
  if (!/[. :](?:\/|$)|:/.test(path)) return path
  const names = path.split('/')
  return names.map((name, at) => (at === 0 ? name : trimName(name))).join('/')
}

function trimName(name: string): string {
  const colon = name.indexOf(':')
  let end = colon === -1 ? name.length : colon
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return end === 0 ? name : name.slice(0, end)
}
