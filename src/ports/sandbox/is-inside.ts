/** True for the folder itself and for what lies in it. Both are absolute and have their links resolved. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
