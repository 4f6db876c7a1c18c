/** What a path is turned into in the view of a held command. */
type MountKind =
  | 'writable'
  | 'read-only'
  /** Nothing is there, and nothing can be made there. */
  | 'absent'
  | 'hidden-folder'
  | 'hidden-file'

export interface Mount {
  readonly path: string
  readonly kind: MountKind
}

const STRICTNESS: readonly MountKind[] = ['writable', 'read-only', 'absent', 'hidden-file', 'hidden-folder']

/** One mount for each path, the strictest; folders before what lies in them, so that the nearest one counts. */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const strictest = new Map<string, Mount>()
  for (const mount of mounts) {
    const known = strictest.get(mount.path)
    if (known === undefined || strictness(mount) > strictness(known)) strictest.set(mount.path, mount)
  }
  return [...strictest.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1))
}

function strictness({ kind }: Mount): number {
  return STRICTNESS.indexOf(kind)
}

function depth(path: string): number {
  return path.split('/').filter((name) => name !== '').length
}
