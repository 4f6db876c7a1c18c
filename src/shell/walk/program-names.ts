/** Returns the base name of a program in lower case. */
export function baseNameOf(text: string): string {
  return (text.includes('/') ? text.slice(text.lastIndexOf('/') + 1) : text).toLowerCase()
}

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/

/** Returns the name of a program that is found through PATH or in a system folder; undefined for any other path. */
export function systemProgramNameOf(text: string): string | undefined {
  return text.includes('/') ? SYSTEM_FOLDER.exec(text)?.[1] : text
}
